package kvvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// containsAll says whether the text has all of the words.
func containsAll(text string, words ...string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// TestLevelDeletesWhatItSaw: the deletion names the pod's UID and version.
func TestLevelDeletesWhatItSaw(t *testing.T) {
	inWorld(t, Level, func(w *world) {
		pod, _ := get(w, newPod(newVM()))
		freeVM(w)
		body := w.wire.body("DELETE pod")
		if !containsAll(body, `"uid":"uid-pod"`, `"resourceVersion":"`+pod.ResourceVersion+`"`) {
			t.Errorf("the deletion is %s, want preconditions of UID uid-pod and version %s", body, pod.ResourceVersion)
		}
		kvvm, _ := get(w, newKVVM(t, newVM(), ""))
		if got := kvvm.Annotations[AnnReplacedInstance]; got != "uid-kvvmi" {
			t.Errorf("annotation %s is %q, want uid-kvvmi", AnnReplacedInstance, got)
		}
	}, waiting(t)...)
}

// TestLevelLeavesBoundPods is race R5: the pod is bound, and the controller's cache
// of pods does not know it yet.
func TestLevelLeavesBoundPods(t *testing.T) {
	inWorld(t, Level, func(w *world) {
		w.wire.writes()
		release := w.wire.hold("pod")
		edit(w, newPod(newVM()), func(pod *corev1.Pod) { pod.Spec.NodeName, pod.Status.Conditions = "node-a", nil })
		freeVM(w)
		release()
		w.idle()
		pod, found := get(w, newPod(newVM()))
		if !found || pod.DeletionTimestamp != nil {
			t.Error("a bound pod was deleted")
		}
		sent := strings.Join(w.wire.writes(), ", ")
		if n := strings.Count(sent, "DELETE pod"); n == 0 || n > 4 {
			t.Errorf("%d attempts to delete the pod: %s; want some that fail and no hot loop", n, sent)
		}
		w.idle()
		w.wantActs()
	}, waiting(t)...)
}

// TestLevelAfterCrash is race R4: the process ends between the two writes.
func TestLevelAfterCrash(t *testing.T) {
	for _, v := range []struct {
		variant Variant
		want    []string
	}{{Placement, untouched}, {Level, []string{"DELETE pod", restartWrite}}} {
		t.Run(string(v.variant), func(t *testing.T) {
			inWorld(t, v.variant, func(w *world) {
				w.wire.writes()
				w.wire.refuse("DELETE pod", 1)
				w.wire.before("DELETE pod", w.end)
				freeVM(w)
				<-w.ended
				w.wantActs(refused...)
				w.run(v.variant)
				w.wantActs(v.want...)
			}, waiting(t)...)
		})
	}
}

// TestLevelRestarts: the pod is deleted, and the request for another instance is
// refused. When the instance fails it is made again, whatever the run policy.
func TestLevelRestarts(t *testing.T) {
	for _, c := range []struct {
		policy v1alpha2.RunPolicy
		want   []string
	}{
		{v1alpha2.AlwaysOnPolicy, []string{restartWrite}},
		{v1alpha2.ManualPolicy, []string{restartWrite}},
		{v1alpha2.AlwaysOnUnlessStoppedManually, []string{restartWrite}},
	} {
		for _, how := range []string{"pod lingers", "pod gone", "cache of pods behind"} {
			t.Run(fmt.Sprintf("%s/%s", c.policy, how), func(t *testing.T) {
				inWorld(t, Level, func(w *world) {
					w.wire.writes()
					w.wire.refuse(restartWrite, 1)
					release := func() {}
					if how == "cache of pods behind" {
						release = w.wire.hold("pod")
					}
					freeVM(w)
					// While the cache has the pod as it was, its deletion is tried again.
					want := []string{"PUT kvvm", "DELETE pod", restartWrite + " refused"}
					if got := w.wire.writes(); len(got) < 3 || !slices.Equal(got[:3], want) {
						t.Errorf("writes %q, want %q", got, want)
					}
					if how == "pod gone" {
						edit(w, newPod(newVM()), func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })
						w.wantActs("PATCH pod")
					}
					edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Phase = kubevirtv1.Failed })
					body := w.wire.body(restartWrite)
					got := slices.DeleteFunc(w.wire.writes(), func(r string) bool { return r == "DELETE pod" || r == "PUT vm/status" })
					if !slices.Equal(got, c.want) {
						t.Errorf("writes %q, want %q", got, c.want)
					}
					if diff := cmp.Diff(restartBody, body); diff != "" {
						t.Errorf("the request for a restart (-want +got):\n%s", diff)
					}
					release()
					w.idle()
					w.wantActs()
				}, waiting(t, policy(c.policy))...)
			})
		}
	}
}

// TestLevelRestartsBehindTheKVVM: the controller does not see its own writes to the
// KVVM for a second. It still asks for the restart, and does not spin.
func TestLevelRestartsBehindTheKVVM(t *testing.T) {
	inWorld(t, Level, func(w *world) {
		w.wire.writes()
		release := w.wire.hold("kvvm")
		freeVM(w)
		edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Phase = kubevirtv1.Failed })
		w.idle()
		body, sent := w.wire.body(restartWrite), w.wire.writes()
		if body != restartBody {
			t.Errorf("the request for a restart is %q, want %q", body, restartBody)
		}
		if len(sent) > 24 {
			t.Errorf("%d writes within a second, want no more than the back-off allows: %q", len(sent), sent)
		}
		release()
		w.idle()
		w.idle()
		w.wire.writes()
		w.idle()
		w.wantActs()
	}, waiting(t, policy(v1alpha2.ManualPolicy))...)
}

// TestLevelChoice: what variant level replaces, and what it leaves alone.
func TestLevelChoice(t *testing.T) {
	for _, c := range []struct {
		name string
		act  func(*world)
		want []string
	}{
		{name: "another policy", act: changeVM(func(s *v1alpha2.VirtualMachineSpec) { s.RunPolicy = v1alpha2.ManualPolicy }), want: onlyUpdated},
		{name: "more cores", act: changeVM(func(s *v1alpha2.VirtualMachineSpec) { s.CPU.Cores = 2 }), want: replaced},
		{name: "switched off", act: changeVM(func(s *v1alpha2.VirtualMachineSpec) {
			s.RunPolicy, s.NodeSelector = v1alpha2.AlwaysOffPolicy, nil
		}), want: []string{"PUT kvvm", "DELETE kvvmi"}},
		{name: "no change of the spec", act: func(w *world) {
			edit(w, newVM(), func(vm *v1alpha2.VirtualMachine) { vm.Annotations = map[string]string{"example.com/note": "seen"} })
		}},
		{name: "the pod of another instance", act: func(w *world) {
			edit(w, newPod(newVM()), func(pod *corev1.Pod) { pod.OwnerReferences[0].UID = "uid-older" })
			freeVM(w)
		}, want: onlyUpdated},
		{name: "a pod that is going", act: func(w *world) {
			w.remove(newPod(newVM()))
			freeVM(w)
		}, want: onlyUpdated},
		{name: "a pod that was not tried", act: func(w *world) {
			edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Conditions = nil })
			edit(w, newPod(newVM()), func(pod *corev1.Pod) { pod.Status.Conditions = nil })
			freeVM(w)
		}, want: onlyUpdated},
		{name: "an instance that runs", act: func(w *world) {
			edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Phase = kubevirtv1.Running })
			freeVM(w)
		}, want: onlyUpdated},
		{name: "an instance that is deleted", act: func(w *world) {
			w.remove(newKVVMI())
			freeVM(w)
		}, want: onlyUpdated},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, Level, func(w *world) {
				w.wire.writes()
				c.act(w)
				w.idle()
				w.wantActs(c.want...)
			}, waiting(t)...)
		})
	}
}

// TestLevelSeesPodsLate is race R3: the instance says that its pod cannot be
// scheduled before the pod is in the cache.
func TestLevelSeesPodsLate(t *testing.T) {
	objects := waiting(t)
	pod := objects[len(objects)-1]
	inWorld(t, Level, func(w *world) {
		w.wire.writes()
		freeVM(w)
		w.wantActs(onlyUpdated...)
		w.put(pod)
		w.wantActs(replaced...)
	}, objects[:len(objects)-1]...)
}

// TestFits: what KubeVirt and the API server add to a pod is no difference.
func TestFits(t *testing.T) {
	term := func(keys ...string) *corev1.Affinity {
		var all []corev1.NodeSelectorRequirement
		for _, k := range keys {
			all = append(all, corev1.NodeSelectorRequirement{Key: k, Operator: corev1.NodeSelectorOpExists})
		}
		return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: all}}}}}
	}
	vmx := map[string]string{"cpu-feature.node.kubevirt.io/vmx": "true"}
	seconds := int64(300)
	gpu := corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}
	notReady := corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
	spread := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone"}
	for _, c := range []struct {
		name   string
		wanted placement
		asked  placement // by the instance
		pod    corev1.PodSpec
		want   bool
	}{
		{name: "nothing", want: true},
		{name: "labels of KubeVirt", want: true, pod: corev1.PodSpec{NodeSelector: map[string]string{
			"kubevirt.io/schedulable": "true", "cpu-model.node.kubevirt.io/Haswell": "true", "kubernetes.io/arch": "amd64"}}},
		{name: "another architecture", pod: corev1.PodSpec{NodeSelector: map[string]string{"kubernetes.io/arch": "arm64"}}},
		{name: "label too many", pod: corev1.PodSpec{NodeSelector: map[string]string{"zone": "a"}}},
		{name: "label missing", wanted: placement{nodeSelector: map[string]string{"zone": "a"}}},
		{name: "label of another value", wanted: placement{nodeSelector: map[string]string{"zone": "a"}}, pod: corev1.PodSpec{NodeSelector: map[string]string{"zone": "b"}}},
		{name: "affinity", want: true, wanted: placement{affinity: term("disk")}, pod: corev1.PodSpec{Affinity: term("disk")}},
		{name: "affinity with expressions of KubeVirt", want: true, wanted: placement{affinity: term("disk")}, pod: corev1.PodSpec{Affinity: term("disk", "cpu-feature.node.kubevirt.io/vmx")}},
		{name: "affinity of KubeVirt alone", want: true, pod: corev1.PodSpec{Affinity: term("cpu-feature.node.kubevirt.io/vmx")}},
		{name: "label of KubeVirt that the instance asks for", asked: placement{nodeSelector: vmx}, pod: corev1.PodSpec{NodeSelector: vmx}},
		{name: "label of KubeVirt that is wanted", want: true, wanted: placement{nodeSelector: vmx}, asked: placement{nodeSelector: vmx}, pod: corev1.PodSpec{NodeSelector: vmx}},
		{name: "expression of KubeVirt that the instance asks for", asked: placement{affinity: term("cpu-feature.node.kubevirt.io/vmx")}, pod: corev1.PodSpec{Affinity: term("cpu-feature.node.kubevirt.io/vmx")}},
		{name: "expression of KubeVirt that is wanted", wanted: placement{affinity: term("cpu-feature.node.kubevirt.io/vmx")}, pod: corev1.PodSpec{Affinity: term("cpu-feature.node.kubevirt.io/svm")}},
		{name: "expression of KubeVirt that is wanted and there", want: true, wanted: placement{affinity: term("cpu-feature.node.kubevirt.io/vmx")}, pod: corev1.PodSpec{Affinity: term("cpu-feature.node.kubevirt.io/vmx")}},
		{name: "affinity missing", wanted: placement{affinity: term("disk")}},
		{name: "affinity too much", pod: corev1.PodSpec{Affinity: term("disk")}},
		{name: "empty affinity", want: true, wanted: placement{affinity: &corev1.Affinity{PodAffinity: &corev1.PodAffinity{}}}},
		{name: "tolerations in another order", want: true, wanted: placement{tolerations: []corev1.Toleration{gpu, notReady}}, pod: corev1.PodSpec{Tolerations: []corev1.Toleration{notReady, gpu}}},
		{name: "tolerations of every pod", want: true, pod: corev1.PodSpec{Tolerations: []corev1.Toleration{notReady}}},
		{name: "toleration too many", pod: corev1.PodSpec{Tolerations: []corev1.Toleration{gpu}}},
		{name: "toleration missing", wanted: placement{tolerations: []corev1.Toleration{gpu}}},
		{name: "spread", want: true, wanted: placement{topologySpreadConstraints: []corev1.TopologySpreadConstraint{spread}}, pod: corev1.PodSpec{TopologySpreadConstraints: []corev1.TopologySpreadConstraint{spread}}},
		{name: "spread too much", pod: corev1.PodSpec{TopologySpreadConstraints: []corev1.TopologySpreadConstraint{spread}}},
		{name: "priority class by default", want: true, pod: corev1.PodSpec{PriorityClassName: "default"}},
		{name: "another priority class", wanted: placement{priorityClassName: "high"}, pod: corev1.PodSpec{PriorityClassName: "default"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kvvmi := newKVVMI()
			kvvmi.Spec.Architecture = "amd64"
			kvvmi.Spec.NodeSelector, kvvmi.Spec.Affinity = c.asked.nodeSelector, c.asked.affinity
			if got := c.wanted.fits(&corev1.Pod{Spec: c.pod}, kvvmi); got != c.want {
				t.Errorf("fits is %v, want %v", got, c.want)
			}
		})
	}
}

// TestLevelRetries: the retries of a deletion that is refused back off.
func TestLevelRetries(t *testing.T) {
	inWorld(t, Level, func(w *world) {
		w.wire.writes()
		w.wire.refuse("DELETE pod", 5)
		freeVM(w)
		time.Sleep(time.Second)
		w.wantActs("PUT kvvm", "DELETE pod refused", "DELETE pod refused", "DELETE pod refused", "DELETE pod refused", "DELETE pod refused", "DELETE pod", restartWrite)
		pod, found := get(w, newPod(newVM()))
		if !found || pod.DeletionTimestamp == nil || pod.UID != apitypes.UID("uid-pod") {
			t.Error("the pod was not deleted")
		}
	}, waiting(t)...)
}

// TestLevelWaitsForTheInstance is race R6: more cores are asked for while KubeVirt
// makes the instance. They wait; if it cannot be made, they do not.
func TestLevelWaitsForTheInstance(t *testing.T) {
	x := runningParts(t, v1alpha2.ManualPolicy)
	instanceGone(x)
	requestsThere(kubevirtv1.StartRequest)(x)
	inWorld(t, Level, func(w *world) {
		w.wire.writes()
		changeVM(func(s *v1alpha2.VirtualMachineSpec) { s.CPU.Cores = 2 })(w)
		w.wantActs()
		edit(w, x.kvvm, func(k *kubevirtv1.VirtualMachine) {
			k.Status.Conditions = []kubevirtv1.VirtualMachineCondition{{Type: kubevirtv1.VirtualMachineFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate"}}
		})
		time.Sleep(dependencyRetry)
		w.wantActs(onlyUpdated...)
	}, x.objects()...)
}
