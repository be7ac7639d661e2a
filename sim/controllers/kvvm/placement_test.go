package kvvm

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// Writes of a pass that lets the pod go.
var (
	onlyUpdated = []string{"PUT kvvm"}
	recreated   = []string{"PUT kvvm", "DELETE pod"}
	replaced    = []string{"PUT kvvm", "DELETE pod", restartWrite} // by variant level
	refused     = []string{"PUT kvvm", "DELETE pod refused"}
	untouched   []string
)

// TestVerdicts is the table of upstream-verdicts 2.4: what each version of the
// controller writes after the change. VMPlacement is #1512 there, Placement is #2177
// and HEAD.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		// act makes the change, in a world where the pod waits for a node.
		act func(*world)
		// vm1512 and vm2177 are the writes of #1512, and of #2177 and HEAD.
		vm1512, vm2177, level []string
	}{
		{name: "1 nodeSelector", vm1512: recreated, vm2177: recreated, level: replaced,
			act: changeVM(func(s *v1alpha2.VirtualMachineSpec) { s.NodeSelector = nil })},
		{name: "2 tolerations", vm1512: recreated, vm2177: recreated, level: replaced,
			act: changeVM(func(s *v1alpha2.VirtualMachineSpec) {
				s.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
			})},
		{name: "3 affinity", vm1512: recreated, vm2177: recreated, level: replaced,
			act: changeVM(func(s *v1alpha2.VirtualMachineSpec) {
				s.Affinity = &v1alpha2.VMAffinity{NodeAffinity: &corev1.NodeAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
						{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpExists}}},
					}}}}
			})},
		{name: "4 topologySpreadConstraints", vm1512: onlyUpdated, vm2177: onlyUpdated, level: replaced,
			act: changeVM(func(s *v1alpha2.VirtualMachineSpec) {
				s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule}}
			})},
		{name: "5 nodeSelector of the class", vm1512: onlyUpdated, vm2177: recreated, level: replaced,
			act: changeClass(func(s *v1alpha2.VirtualMachineClassSpec) {
				s.NodeSelector.MatchLabels = map[string]string{"disk": "ssd"}
			})},
		{name: "6 tolerations of the class", vm1512: onlyUpdated, vm2177: recreated, level: replaced,
			act: changeClass(func(s *v1alpha2.VirtualMachineClassSpec) {
				s.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
			})},
		{name: "7 deletion refused once",
			vm1512: refused, vm2177: refused, level: []string{"PUT kvvm", "DELETE pod refused", "DELETE pod", restartWrite},
			act: func(w *world) {
				w.wire.refuse("DELETE pod", 1)
				freeVM(w)
			}},
		{name: "8 activePods not yet there", vm1512: onlyUpdated, vm2177: onlyUpdated, level: replaced,
			act: func(w *world) {
				edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.ActivePods = nil })
				freeVM(w)
				w.idle()
				edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.ActivePods = newKVVMI().Status.ActivePods })
			}},
	} {
		for _, v := range []struct {
			variant Variant
			want    []string
		}{{VMPlacement, c.vm1512}, {Placement, c.vm2177}, {Level, c.level}, {None, onlyUpdated}, {RestartRequired, onlyUpdated}} {
			for _, suffix := range []Variant{"", gateSuffix} {
				t.Run(fmt.Sprintf("%s/%s", c.name, v.variant+suffix), func(t *testing.T) {
					inWorld(t, v.variant+suffix, func(w *world) {
						w.wire.writes()
						c.act(w)
						w.idle()
						w.wantActs(v.want...)
					}, waiting(t)...)
				})
			}
		}
	}
}

func changeVM(change func(*v1alpha2.VirtualMachineSpec)) func(*world) {
	return func(w *world) { edit(w, newVM(), func(vm *v1alpha2.VirtualMachine) { change(&vm.Spec) }) }
}

func changeClass(change func(*v1alpha2.VirtualMachineClassSpec)) func(*world) {
	return func(w *world) { edit(w, newClass(), func(c *v1alpha2.VirtualMachineClass) { change(&c.Spec) }) }
}

// freeVM removes the rule that no node matches.
func freeVM(w *world) {
	edit(w, newVM(), func(vm *v1alpha2.VirtualMachine) { vm.Spec.NodeSelector = nil })
}

// TestPhaseIsOlderThanTheSwitch is case 9, race R2 of kubevirt-behaviour B.8: the
// VM is changed while the controller is about to write that it is Pending.
func TestPhaseIsOlderThanTheSwitch(t *testing.T) {
	for _, v := range []struct {
		variant Variant
		want    []string
	}{
		{VMPlacement, onlyUpdated}, {VMPlacement + gateSuffix, onlyUpdated},
		{Placement, onlyUpdated}, {Placement + gateSuffix, onlyUpdated},
		{Level, replaced}, {Level + gateSuffix, replaced},
	} {
		t.Run(string(v.variant), func(t *testing.T) {
			vm := newVM()
			vm.Status.Phase = v1alpha2.MachineStarting
			inWorld(t, v.variant, func(w *world) {
				w.wire.writes()
				w.wire.before("PUT vm/status", func() {
					editNow(w, newVM(), func(vm *v1alpha2.VirtualMachine) { vm.Spec.NodeSelector = nil })
				})
				edit(w, newKVVM(t, vm, ""), func(k *kubevirtv1.VirtualMachine) {
					k.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusUnschedulable
				})
				w.idle()
				w.wantActs(v.want...)
			}, newClass(), vm, newKVVM(t, vm, kubevirtv1.VirtualMachineStatusStarting), newKVVMI(), newPod(vm))
		})
	}
}

// TestChangedBeforeUnschedulable is case 10, race R1: the change comes before
// KubeVirt says that the VM cannot be scheduled. In the measured case the VM's phase
// was Pending all the time. As a rule it is Starting: the pass that is the first to
// see the KVVM unschedulable then has still that phase, and the change is lost as
// in case 9, in both editions.
func TestChangedBeforeUnschedulable(t *testing.T) {
	for _, v := range []struct {
		variant Variant
		phase   v1alpha2.MachinePhase
		early   []string
		later   []string
	}{
		{VMPlacement, v1alpha2.MachinePending, untouched, recreated},
		{VMPlacement, v1alpha2.MachineStarting, untouched, onlyUpdated},
		{VMPlacement + gateSuffix, v1alpha2.MachinePending, onlyUpdated, untouched},
		{VMPlacement + gateSuffix, v1alpha2.MachineStarting, onlyUpdated, untouched},
		{Placement, v1alpha2.MachinePending, untouched, recreated},
		{Placement, v1alpha2.MachineStarting, untouched, onlyUpdated},
		{Placement + gateSuffix, v1alpha2.MachinePending, onlyUpdated, untouched},
		{Placement + gateSuffix, v1alpha2.MachineStarting, onlyUpdated, untouched},
		{Level, v1alpha2.MachinePending, untouched, replaced},
		{Level, v1alpha2.MachineStarting, untouched, replaced},
		{Level + gateSuffix, v1alpha2.MachinePending, onlyUpdated, replaced},
		{Level + gateSuffix, v1alpha2.MachineStarting, onlyUpdated, replaced},
	} {
		t.Run(fmt.Sprintf("%s/%s", v.variant, v.phase), func(t *testing.T) {
			vm := newVM()
			vm.Status.Phase = v.phase
			kvvm, kvvmi, pod := newKVVM(t, vm, kubevirtv1.VirtualMachineStatusStarting), newKVVMI(), newPod(vm)
			kvvmi.Status.Conditions, pod.Status.Conditions = nil, nil
			if v.phase == v1alpha2.MachinePending {
				kvvm.Status.Conditions = []kubevirtv1.VirtualMachineCondition{{Type: conditionPodIsScheduled, Status: corev1.ConditionFalse}}
			}
			inWorld(t, v.variant, func(w *world) {
				w.wire.writes()
				freeVM(w)
				w.idle()
				w.wantActs(v.early...)
				edit(w, newPod(vm), func(p *corev1.Pod) { p.Status.Conditions = newPod(vm).Status.Conditions })
				edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Conditions = newKVVMI().Status.Conditions })
				edit(w, kvvm, func(k *kubevirtv1.VirtualMachine) {
					k.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusUnschedulable
				})
				w.idle()
				w.wantActs(v.later...)
			}, newClass(), vm, kvvm, kvvmi, pod)
		})
	}
}
