package vmim

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

func TestVMOfPod(t *testing.T) {
	owned := func(pod *corev1.Pod) {
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "Node", Name: "node-a"}, {Kind: "VirtualMachineInstance", Name: "owner"}}
	}
	labels := func(pairs ...string) edit[*corev1.Pod] {
		return func(pod *corev1.Pod) {
			pod.Labels = map[string]string{}
			for i := 0; i < len(pairs); i += 2 {
				pod.Labels[pairs[i]] = pairs[i+1]
			}
		}
	}
	const app, name = kubevirtv1.AppLabel, kubevirtv1.DeprecatedVirtualMachineNameLabel
	tests := []struct {
		name string
		pod  *corev1.Pod
		want string
	}{
		{"launcher with the VM's name", newPod(labels(app, launcher, name, "vm"), owned), "default/vm"},
		{"launcher without the VM's name", newPod(labels(app, launcher), owned), "default/owner"},
		{"the VM's name alone", newPod(labels(name, "vm")), "default/vm"},
		{"attachment pod", newPod(labels(app, attachment, name, "vm"), owned), ""},
		{"launcher of nothing", newPod(labels(app, launcher)), ""},
		{"pod of something else", newPod(labels("app", "web"), owned), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := vmOfPod(test.pod); got != test.want {
				t.Errorf("vmOfPod = %q, want %q", got, test.want)
			}
		})
	}
}

// TestPodDeleted: what becomes of the options "node-a" and of a strategy that was
// left behind, when a launcher pod of the VM goes.
func TestPodDeleted(t *testing.T) {
	other := newPod(podNamed("other", 5), podOf("uid-older"), podOn("node-c"))
	ofVM := func(pod *corev1.Pod) { pod.Labels[kubevirtv1.DeprecatedVirtualMachineNameLabel] = "other" }
	attaching := func(pod *corev1.Pod) { pod.Labels[kubevirtv1.AppLabel] = attachment }
	removed := []string{"clean vm.default"}
	tests := []struct {
		name  string
		story func(*world)
		// The writes of the variants that are told apart here.
		none, wake []string
	}{
		{"another pod of the VM", func(w *world) { w.put(newVMI(), sourcePod(), other); w.remove(other) },
			removed, []string{"reset vm.default node-a"}},
		{"the VM's last pod", func(w *world) { w.put(newVMI(), sourcePod()); w.remove(sourcePod()) }, removed, removed},
		{"a pod of a VM that is gone", func(w *world) { w.put(sourcePod()); w.remove(sourcePod()) }, removed, removed},
		{"a pod of another VM", func(w *world) { w.put(newVMI(), sourcePod(), newPod(ofVM)); w.remove(newPod(ofVM)) },
			[]string{"clean other"}, nil},
		{"an attachment pod", func(w *world) { w.put(newVMI(), sourcePod(), newPod(attaching)); w.remove(newPod(attaching)) }, nil, nil},
		{"a pod that ended", func(w *world) {
			w.put(newVMI(), sourcePod(), newPod(func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded }))
		}, nil, nil},
		{"OVN refuses at first", func(w *world) {
			w.put(newVMI(), sourcePod())
			w.ovn.fail = errors.New("no leader")
			w.remove(sourcePod())
			w.sleepUntil(time.Second)
			want := []time.Duration{0, 5 * ms}
			if diff := cmp.Diff(want, w.attemptsAt(PodQueue, vmName)); diff != "" {
				w.t.Errorf("attempts (-want +got):\n%s", diff)
			}
		}, removed, removed},
	}
	for _, test := range tests {
		for _, v := range Variants() {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				inWorld(t, v, func(w *world) {
					w.ovn.ports[portName] = LogicalSwitchPort{Name: portName, ExternalIDs: map[string]string{PodID: vmName},
						Options: map[string]string{RequestedChassis: "node-a", ActivationStrategy: RARP}}
					test.story(w)
					want := test.none
					if v == Wake {
						want = test.wake
					}
					w.wantWrites(want...)
				})
			})
		}
	}
}

// TestDeletionsThatANewListBringsToLight: a watch that broke may have missed the
// deletion of a pod, or that and the creation of a namesake.
func TestDeletionsThatANewListBringsToLight(t *testing.T) {
	namesake := newPod(podOn("node-c"), func(pod *corev1.Pod) { pod.UID = "uid-namesake" })
	tests := []struct {
		name  string
		event func(*Controller)
		want  int // VMs enqueued
	}{
		{"deleted", func(c *Controller) {
			c.podDeleted(deleted(cache.DeletedFinalStateUnknown{Key: "default/target", Obj: newPod()}))
		}, 1},
		{"deleted, the object is not known", func(c *Controller) {
			c.podDeleted(deleted(cache.DeletedFinalStateUnknown{Key: "default/target"}))
		}, 0},
		{"replaced by a namesake", func(c *Controller) { c.podUpdated(newPod(podOn("node-b")), namesake) }, 1},
		{"not replaced", func(c *Controller) { c.podUpdated(newPod(), newPod(podOn("node-b"))) }, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := (&handlerWorld{}).controller(t, Wake)
			test.event(c)
			if got := c.podQueue.Len(); got != test.want {
				t.Errorf("%d VMs are enqueued, want %d", got, test.want)
			}
		})
	}
}

func TestTargetPod(t *testing.T) {
	attaching := func(pod *corev1.Pod) { pod.Labels[kubevirtv1.AppLabel] = attachment }
	failed := func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed }
	leaving := func(pod *corev1.Pod) { now := instant(50); pod.DeletionTimestamp = &now }
	tests := []struct {
		name string
		pods []*corev1.Pod
		want string
	}{
		{"none", nil, ""},
		{"pod of another migration", []*corev1.Pod{newPod(podOf("uid-older"))}, ""},
		{"launcher before attachment pod", []*corev1.Pod{newPod(podNamed("a", 30), attaching), newPod(podNamed("b", 20), leaving)}, "b"},
		{"the one that goes on", []*corev1.Pod{newPod(podNamed("a", 30), failed), newPod(podNamed("b", 30), leaving), newPod(podNamed("c", 20))}, "c"},
		{"the oldest", []*corev1.Pod{newPod(podNamed("a", 20)), newPod(podNamed("b", 30)), newPod(podNamed("c", 10))}, "c"},
		{"the one with a node", []*corev1.Pod{newPod(podNamed("a", 20)), newPod(podNamed("b", 30), podOn("node-b"))}, "b"},
		{"one with a node that is leaving is none", []*corev1.Pod{newPod(podNamed("a", 20)), newPod(podNamed("b", 30), podOn("node-b"), leaving)}, "a"},
		{"of the same age, the first by name", []*corev1.Pod{newPod(podNamed("b", 20)), newPod(podNamed("a", 20))}, "a"},
		{"an attachment pod alone", []*corev1.Pod{newPod(podNamed("a", 20), attaching)}, ""},
		{"a pod that does not say what it is", []*corev1.Pod{newPod(podNamed("a", 20), func(pod *corev1.Pod) { delete(pod.Labels, kubevirtv1.AppLabel) })}, "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := (&handlerWorld{pods: test.pods}).controller(t, Wake)
			got := ""
			if pod := c.targetPod(newMigration()); pod != nil {
				got = pod.Name
			}
			if got != test.want {
				t.Errorf("target pod is %q, want %q", got, test.want)
			}
		})
	}
}
