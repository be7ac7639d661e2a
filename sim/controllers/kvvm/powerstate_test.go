package kvvm

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

const (
	startWrite   = "PATCH kvvm/status"
	restartWrite = startWrite
	startBody    = `[{"op":"add","path":"/status/stateChangeRequests","value":[{"action":"Start"}]}]`
	restartBody  = `[{"op":"add","path":"/status/stateChangeRequests","value":[{"action":"Stop","uid":"uid-kvvmi"},{"action":"Start"}]}]`
)

// parts are the objects of a VM that a case changes; a nil one is not there.
type parts struct {
	vm    *v1alpha2.VirtualMachine
	kvvm  *kubevirtv1.VirtualMachine
	kvvmi *kubevirtv1.VirtualMachineInstance
	pod   *corev1.Pod
}

// running are the parts of a VM that runs on node-a.
func runningParts(t *testing.T, p v1alpha2.RunPolicy) *parts {
	vm := newVM(policy(p))
	vm.Status.Phase = v1alpha2.MachineRunning
	x := &parts{vm, newKVVM(t, vm, kubevirtv1.VirtualMachineStatusRunning), newKVVMI(), newPod(vm)}
	x.kvvmi.Status.Phase, x.kvvmi.Status.NodeName, x.kvvmi.Status.Conditions = kubevirtv1.Running, "node-a", nil
	x.pod.Spec.NodeName, x.pod.Status.Phase, x.pod.Status.Conditions = "node-a", corev1.PodRunning, nil
	return x
}

func (x *parts) objects() []client.Object {
	all := []client.Object{newClass(), x.vm, x.kvvm}
	if x.kvvmi != nil {
		all = append(all, x.kvvmi)
	}
	if x.pod != nil {
		all = append(all, x.pod)
	}
	return all
}

func instanceIn(phase kubevirtv1.VirtualMachineInstancePhase) func(*parts) {
	return func(x *parts) { x.kvvmi.Status.Phase = phase }
}

func podEnded(message string) func(*parts) {
	return func(x *parts) {
		x.pod.Status.Phase = corev1.PodSucceeded
		x.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "compute", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: message}},
		}}
	}
}

func podGone(x *parts) { x.pod = nil }

func instanceGone(x *parts) {
	x.kvvmi, x.pod = nil, nil
	x.kvvm.Status.PrintableStatus, x.kvvm.Status.Created = kubevirtv1.VirtualMachineStatusStopped, false
}

func instanceGoing(x *parts) {
	x.kvvmi.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1e9, 0)))
}

func annotated(key string) func(*parts) {
	return func(x *parts) { metav1.SetMetaDataAnnotation(&x.kvvm.ObjectMeta, key, requested) }
}

func requestsThere(actions ...kubevirtv1.StateChangeRequestAction) func(*parts) {
	return func(x *parts) {
		for _, a := range actions {
			x.kvvm.Status.StateChangeRequests = append(x.kvvm.Status.StateChangeRequests, kubevirtv1.VirtualMachineStateChangeRequest{Action: a})
		}
	}
}

// TestPowerState is the table of kubevirt-behaviour B.5.
func TestPowerState(t *testing.T) {
	const (
		on, off, manual, unless = v1alpha2.AlwaysOnPolicy, v1alpha2.AlwaysOffPolicy, v1alpha2.ManualPolicy, v1alpha2.AlwaysOnUnlessStoppedManually
		failed, succeeded       = kubevirtv1.Failed, kubevirtv1.Succeeded
		releasePod              = "PATCH pod"
	)
	type change = func(*parts)
	for _, c := range []struct {
		name   string
		policy v1alpha2.RunPolicy
		given  []change
		want   []string
		body   string // of the request for a change of state
	}{
		{name: "runs", policy: on},
		{name: "failed", policy: on, given: []change{instanceIn(failed), podGone}, want: []string{restartWrite}, body: restartBody},
		{name: "succeeded", policy: on, given: []change{instanceIn(succeeded), podEnded("guest-shutdown")}, want: []string{releasePod, restartWrite}, body: restartBody},
		{name: "failed, a request there", policy: on, given: []change{instanceIn(failed), podGone, requestsThere(kubevirtv1.StopRequest, kubevirtv1.StartRequest)}},
		{name: "absent", policy: on, given: []change{instanceGone}, want: []string{startWrite}, body: startBody},
		{name: "absent, restarting", policy: on, given: []change{instanceGone, requestsThere(kubevirtv1.StopRequest, kubevirtv1.StartRequest)}},
		{name: "absent, start there", policy: on, given: []change{instanceGone, requestsThere(kubevirtv1.StartRequest)}},
		{name: "going", policy: on, given: []change{instanceGoing}},
		{name: "going, start asked for", policy: on, given: []change{instanceGoing, annotated(AnnStartRequested)}, want: []string{startWrite, "PATCH kvvm"}, body: startBody},
		{name: "restart asked for", policy: on, given: []change{annotated(AnnRestartRequested)}, want: []string{restartWrite, "PATCH kvvm"}, body: restartBody},

		{name: "runs", policy: off, want: []string{"DELETE kvvmi"}},
		{name: "failed", policy: off, given: []change{instanceIn(failed), podGone}, want: []string{"DELETE kvvmi"}},
		{name: "absent", policy: off, given: []change{instanceGone}},

		{name: "runs", policy: manual},
		{name: "failed, pod ended", policy: manual, given: []change{instanceIn(failed), podEnded("")}, want: []string{releasePod, "DELETE kvvmi"}},
		{name: "failed, pod gone", policy: manual, given: []change{instanceIn(failed), podGone}},
		{name: "guest shut down", policy: manual, given: []change{instanceIn(succeeded), podEnded("guest-shutdown")}, want: []string{releasePod, "DELETE kvvmi"}},
		{name: "guest reset", policy: manual, given: []change{instanceIn(succeeded), podEnded("guest-reset")}, want: []string{releasePod, restartWrite}, body: restartBody},
		{name: "absent", policy: manual, given: []change{instanceGone}},
		{name: "absent, start asked for", policy: manual, given: []change{instanceGone, annotated(AnnStartRequested)}, want: []string{startWrite, "PATCH kvvm"}, body: startBody},
		{name: "absent, restart asked for", policy: manual, given: []change{instanceGone, annotated(AnnRestartRequested)}, want: []string{startWrite, "PATCH kvvm"}, body: startBody},

		{name: "failed", policy: unless, given: []change{instanceIn(failed), podGone}, want: []string{restartWrite}, body: restartBody},
		{name: "guest shut down", policy: unless, given: []change{instanceIn(succeeded), podEnded("guest-shutdown")}, want: []string{releasePod, "DELETE kvvmi"}},
		{name: "guest reset", policy: unless, given: []change{instanceIn(succeeded), podEnded("guest-reset")}, want: []string{releasePod, restartWrite}, body: restartBody},
		{name: "succeeded, not the instance's pod", policy: unless, given: []change{instanceIn(succeeded), podEnded(""), func(x *parts) { x.kvvmi.Status.ActivePods = nil }},
			want: []string{releasePod, restartWrite}, body: restartBody},
		{name: "absent", policy: unless, given: []change{instanceGone}},
		{name: "still Always", policy: unless, given: []change{func(x *parts) { x.kvvm.Spec.RunStrategy = ptr.To(kubevirtv1.RunStrategyAlways) }}, want: []string{"PATCH kvvm"}},
		{name: "still Always, absent", policy: unless, given: []change{instanceGone, func(x *parts) { x.kvvm.Spec.RunStrategy = ptr.To(kubevirtv1.RunStrategyAlways) }}},
	} {
		t.Run(fmt.Sprintf("%s/%s", c.policy, c.name), func(t *testing.T) {
			x := runningParts(t, c.policy)
			for _, change := range c.given {
				change(x)
			}
			inWorld(t, Placement, func(w *world) {
				body := w.wire.body(startWrite)
				if diff := cmp.Diff(c.body, body); diff != "" {
					t.Errorf("the request for a change of state (-want +got):\n%s", diff)
				}
				w.wantActs(c.want...)
			}, x.objects()...)
		})
	}
}

// TestSucceededWithoutPod: an instance that succeeded, and no pod that says why, is
// an error under AlwaysOnUnlessStoppedManually, retried with back-off.
func TestSucceededWithoutPod(t *testing.T) {
	x := runningParts(t, v1alpha2.AlwaysOnUnlessStoppedManually)
	instanceIn(kubevirtv1.Succeeded)(x)
	podGone(x)
	inWorld(t, Placement, func(w *world) {
		w.wantActs()
		w.mu.Lock()
		defer w.mu.Unlock()
		failures := 0
		for _, line := range w.logs {
			if containsAll(line, "the instance succeeded, and its pod is not in the cache", "default/vm") {
				failures++
			}
		}
		// 5, 10, 20 ms … and so on within one second.
		if failures < 7 || failures > 9 {
			t.Errorf("%d failed attempts within a second, want about 8", failures)
		}
	}, x.objects()...)
}

// TestTurnedOn: a VM with policy AlwaysOff gets AlwaysOnUnlessStoppedManually. It is
// started only if the policy that was applied last is still in the cache when the
// power state is looked at; an earlier handler of the same pass has just written
// the new one.
func TestTurnedOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		behind bool
		want   []string
	}{
		{"the cache is behind", true, []string{"PUT kvvm", "PATCH kvvm", startWrite, "PATCH kvvm"}},
		{"the cache is not behind", false, onlyUpdated},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := runningParts(t, v1alpha2.AlwaysOffPolicy)
			instanceGone(x)
			inWorld(t, Placement, func(w *world) {
				w.wire.writes()
				release := func() {}
				if c.behind {
					release = w.wire.hold("kvvm")
				}
				edit(w, newVM(), func(vm *v1alpha2.VirtualMachine) { vm.Spec.RunPolicy = v1alpha2.AlwaysOnUnlessStoppedManually })
				release()
				w.idle()
				w.wantActs(c.want...)
			}, x.objects()...)
		})
	}
}

// TestStartWhileOtherRequest: a start on top of another request is refused.
func TestStartWhileOtherRequest(t *testing.T) {
	x := runningParts(t, v1alpha2.AlwaysOnPolicy)
	instanceGone(x)
	requestsThere(kubevirtv1.StopRequest)(x)
	inWorld(t, Placement, func(w *world) {
		w.wantActs()
		edit(w, x.kvvm, func(k *kubevirtv1.VirtualMachine) { k.Status.StateChangeRequests = nil })
		w.idle()
		w.idle()
		w.wantActs(startWrite)
	}, x.objects()...)
}
