package kvvm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// TestRuns is the table of upstream-verdicts part 4: runs of the controller of #1512
// against scripted objects.
func TestRuns(t *testing.T) {
	t.Run("edited while unschedulable", func(t *testing.T) {
		inWorld(t, VMPlacement, func(w *world) {
			w.wire.writes()
			freeVM(w)
			w.wantActs(recreated...)
		}, waiting(t)...)
	})
	t.Run("deletion refused once", func(t *testing.T) {
		inWorld(t, VMPlacement, func(w *world) {
			w.wire.writes()
			w.wire.refuse("DELETE pod", 1)
			freeVM(w)
			time.Sleep(24 * time.Hour)
			w.wantActs(refused...)
		}, waiting(t)...)
	})
	t.Run("KVVM without owner", func(t *testing.T) {
		vm := newVM()
		vm.Status.Phase = v1alpha2.MachineStarting
		kvvm := newKVVM(t, vm, kubevirtv1.VirtualMachineStatusStarting)
		kvvm.OwnerReferences = nil
		inWorld(t, VMPlacement, func(w *world) {
			edit(w, kvvm, func(k *kubevirtv1.VirtualMachine) {
				k.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusUnschedulable
			})
			w.idle()
			if got, _ := get(w, vm); got.Status.Phase != v1alpha2.MachineStarting {
				t.Errorf("the phase is %s: somebody woke the VM", got.Status.Phase)
			}
			w.wire.writes()
			freeVM(w)
			w.idle()
			w.wantActs(onlyUpdated...)
		}, newClass(), vm, kvvm, newKVVMI(), newPod(vm))
	})
	t.Run("activePods not yet there", func(t *testing.T) {
		kvvmi := newKVVMI()
		kvvmi.Status.ActivePods = nil
		vm := newVM()
		vm.Status.Phase = v1alpha2.MachinePending
		inWorld(t, VMPlacement, func(w *world) {
			w.wire.writes()
			freeVM(w)
			w.idle()
			w.wantActs(onlyUpdated...)
		}, newClass(), vm, newKVVM(t, vm, kubevirtv1.VirtualMachineStatusUnschedulable), kvvmi, newPod(vm))
	})
	t.Run("cache of the VM behind its own status write", func(t *testing.T) {
		// With requests of 1 ms and a cache 4 ms behind: a conflict, 100 µs, and so
		// on; not the dozens of writes that an instant server sees.
		inWorld(t, VMPlacement, func(w *world) {
			w.wire.writes()
			release := w.wire.hold("vm")
			edit(w, newKVVM(t, newVM(), ""), func(k *kubevirtv1.VirtualMachine) { k.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusRunning })
			edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Phase = kubevirtv1.Scheduled })
			sent := w.wire.writes()
			release()
			writes := len(slices.DeleteFunc(slices.Clone(sent), func(r string) bool { return r != "PUT vm/status" }))
			if writes < 5 || writes > 20 {
				t.Errorf("%d status writes within 20 ms, want one for each 1.1 ms after the first conflict: %q", writes, sent)
			}
		}, waiting(t)...)
	})
}

// TestFreshVM: what the controller makes of a new VM, under every run policy.
func TestFreshVM(t *testing.T) {
	for _, c := range []struct {
		policy   v1alpha2.RunPolicy
		strategy kubevirtv1.VirtualMachineRunStrategy
		want     []string
	}{
		{v1alpha2.AlwaysOnPolicy, kubevirtv1.RunStrategyManual, []string{"POST kvvm", "PATCH vm", startWrite}},
		{v1alpha2.AlwaysOffPolicy, kubevirtv1.RunStrategyManual, []string{"POST kvvm", "PATCH vm"}},
		{v1alpha2.ManualPolicy, kubevirtv1.RunStrategyManual, []string{"POST kvvm", "PATCH vm"}},
		{v1alpha2.AlwaysOnUnlessStoppedManually, kubevirtv1.RunStrategyAlways, []string{"POST kvvm", "PATCH vm"}},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			vm := newVM(policy(c.policy))
			vm.Finalizers = nil
			inWorld(t, Placement, func(w *world) {
				got := slices.DeleteFunc(w.wire.writes(), func(r string) bool { return r == "PUT vm/status" })
				slices.Sort(got)
				slices.Sort(c.want)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
				kvvm, found := get(w, newKVVM(t, vm, ""))
				if !found || runStrategy(kvvm) != c.strategy || kvvm.Annotations[AnnLastAppliedSpec] == "" || kvvm.OwnerReferences[0].UID != vm.UID {
					t.Errorf("want a KVVM of strategy %s with its annotations and its owner, got %+v", c.strategy, kvvm)
				}
				w.idle()
				w.wantActs()
			}, newClass(), vm)
		})
	}
}

// TestWithoutClass: the controller says so and waits; the class wakes the VM.
func TestWithoutClass(t *testing.T) {
	vm := newVM()
	inWorld(t, Placement, func(w *world) {
		w.wantActs()
		got, _ := get(w, vm)
		if got.Status.Phase != v1alpha2.MachinePending || len(got.Status.Conditions) == 0 || !strings.Contains(got.Status.Conditions[0].Message, `"generic" does not exist`) {
			t.Errorf("want phase Pending and a condition that names the class, got %+v", got.Status)
		}
		time.Sleep(10 * time.Minute)
		w.wantActs()
		w.put(newClass())
		w.wantActs("POST kvvm", startWrite)
	}, vm)
}

// TestDeletion: the VM stays until its KVVM is gone; its pods are let go.
func TestDeletion(t *testing.T) {
	inWorld(t, Placement, func(w *world) {
		w.wire.writes()
		kvvm := newKVVM(t, newVM(), "")
		edit(w, kvvm, func(k *kubevirtv1.VirtualMachine) {
			k.Finalizers = append(k.Finalizers, "kubevirt.io/virtualMachineControllerFinalize")
		})
		w.remove(newVM())
		w.idle()
		w.wantActs("PATCH kvvm", "DELETE kvvm", "PATCH pod")
		edit(w, kvvm, func(k *kubevirtv1.VirtualMachine) {
			k.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusTerminating
		})
		w.api.Locked(func() {
			if _, err := w.api.Patch(refOf(kvvm), "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), ""); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Minute)
		if _, found := get(w, newVM()); found {
			t.Error("the VM is still there")
		}
		w.wantActs("PATCH vm")
	}, waiting(t)...)
}

// TestProtection: launcher pods that have not ended get a finalizer.
func TestProtection(t *testing.T) {
	objects := waiting(t)
	pod := objects[len(objects)-1].(*corev1.Pod)
	pod.Finalizers = nil
	inWorld(t, Placement, func(w *world) {
		w.wantActs("PATCH pod")
		edit(w, pod, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		w.wantActs("PATCH pod")
		if got, _ := get(w, pod); len(got.Finalizers) != 0 {
			t.Errorf("a pod that failed has the finalizers %q", got.Finalizers)
		}
	}, objects...)
}

// TestWakes: which events make the controller look at the VM.
func TestWakes(t *testing.T) {
	for _, c := range []struct {
		name string
		act  func(*world)
		want bool
	}{
		{"pod cannot be scheduled", func(w *world) {
			edit(w, newPod(newVM()), func(p *corev1.Pod) { p.Status.Conditions = nil })
		}, false},
		{"pod is going", func(w *world) { w.remove(newPod(newVM())) }, false},
		{"phase of the pod", func(w *world) {
			edit(w, newPod(newVM()), func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
		}, true},
		{"status of the instance", func(w *world) {
			edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Conditions = nil })
		}, true},
		{"labels of the instance", func(w *world) {
			edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Labels = map[string]string{"a": "b"} })
		}, false},
		{"condition of the KVVM", func(w *world) {
			edit(w, newKVVM(w.t, newVM(), ""), func(k *kubevirtv1.VirtualMachine) {
				k.Status.Conditions = []kubevirtv1.VirtualMachineCondition{{Type: conditionPodIsScheduled, Status: corev1.ConditionFalse}}
			})
		}, false},
		{"requests of the KVVM", func(w *world) {
			edit(w, newKVVM(w.t, newVM(), ""), func(k *kubevirtv1.VirtualMachine) {
				k.Status.StateChangeRequests = requests{{Action: kubevirtv1.StartRequest}}
			})
		}, false},
		{"printable status of the KVVM", func(w *world) {
			edit(w, newKVVM(w.t, newVM(), ""), func(k *kubevirtv1.VirtualMachine) {
				k.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusStarting
			})
		}, true},
		{"labels of the class", func(w *world) {
			edit(w, newClass(), func(c *v1alpha2.VirtualMachineClass) { c.Labels = map[string]string{"a": "b"} })
		}, false},
		{"tolerations of the class", changeClass(func(s *v1alpha2.VirtualMachineClassSpec) {
			s.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
		}), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, Placement, func(w *world) {
				before := w.attempts.Load()
				c.act(w)
				if woken := w.attempts.Load() > before; woken != c.want {
					t.Errorf("woken: %v, want %v", woken, c.want)
				}
			}, waiting(t)...)
		})
	}
}

// TestSettled: a VM that waits is left in peace.
func TestSettled(t *testing.T) {
	for _, v := range []Variant{Placement, Level} {
		t.Run(string(v), func(t *testing.T) {
			inWorld(t, v, func(w *world) {
				w.wire.writes()
				time.Sleep(8 * time.Hour) // before the caches' first resync
				if sent := w.wire.sent(); len(sent) != 0 {
					t.Errorf("requests of a settled VM: %q", sent)
				}
			}, waiting(t)...)
		})
	}
}

// TestRunsAlike: the same story gives the same requests, bodies included.
func TestRunsAlike(t *testing.T) {
	for _, v := range Variants() {
		t.Run(string(v), func(t *testing.T) {
			var runs [2][]string
			for i := range runs {
				inWorld(t, v, func(w *world) {
					freeVM(w)
					edit(w, newKVVMI(), func(i *kubevirtv1.VirtualMachineInstance) { i.Status.Phase = kubevirtv1.Failed })
					edit(w, newPod(newVM()), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
					w.idle()
					for _, r := range w.wire.sent() {
						if !strings.HasPrefix(r, "GET ") && !strings.HasPrefix(r, "WATCH ") {
							runs[i] = append(runs[i], r)
						}
					}
				}, waiting(t)...)
			}
			if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
				t.Errorf("two runs differ:\n%s", diff)
			}
		})
	}
}

// TestBadOptions: what New refuses.
func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		cfg     *rest.Config
		variant Variant
		want    string
	}{
		{"variant", &rest.Config{}, "plaecment-ee", `no variant "plaecment-ee"`},
		{"host", &rest.Config{Host: "http://a b"}, None, "kvvm: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.cfg, Options{Variant: c.variant})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}
