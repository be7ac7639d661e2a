package vmim

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// TestRacesOfOneVM are the known races (kubevirt-behaviour D.9, K1 to K8) and their
// neighbours: what the VM's port has at the end, for v1.15.10 with both patches and
// for the variant wake.
func TestRacesOfOneVM(t *testing.T) {
	const next = types.UID("uid-next")
	nextMigration := migrationNamed("next", 30)
	nextPod := []edit[*corev1.Pod]{podNamed("target-2", 31), podOf(next), podOn("node-c")}
	finalVMI := func(vmi *kubevirtv1.VirtualMachineInstance) { vmi.Status.Phase = kubevirtv1.Succeeded }
	running := func(w *world) { // a migration that is set up
		w.put(newVMI(), sourcePod(), newPod(podOn("node-b")), newMigration())
	}
	tests := []struct {
		name       string
		story      func(*world)
		both, wake string
	}{
		{"K1 pod watch behind the migration's", func(w *world) {
			release := w.wire.hold(podResource)
			w.put(newVMI(), newPod(podOn("node-b")), newMigration())
			w.sleepUntil(20 * ms)
			release()
			w.sleepUntil(time.Second)
		}, movingOptions, movingOptions},
		{"K1 and the phase moves on before the retry", func(w *world) {
			release := w.wire.hold(podResource)
			w.put(newVMI(), newPod(podOn("node-b")), newMigration())
			w.sleepUntil(20 * ms)
			w.put(newMigration(phase(kubevirtv1.MigrationScheduled)))
			release()
		}, "", movingOptions},
		{"K3 phases collapse", func(w *world) {
			release := w.wire.hold(migrationResource)
			w.put(newVMI(), newPod(podOn("node-b")), newMigration(phase(kubevirtv1.MigrationPending)))
			w.put(newMigration(), newMigration(phase(kubevirtv1.MigrationScheduled)))
			release()
		}, "", movingOptions},
		{"K4 no state in the migration", func(w *world) {
			w.put(newVMI(), newPod(podOn("node-b")), newMigration(stateless))
		}, "", movingOptions},
		{"K5 ended, state overwritten by the next migration", func(w *world) {
			running(w)
			w.put(newVMI(stateOf(next, "", "")), newMigration(phase(kubevirtv1.MigrationFailed)))
		}, movingOptions, "node-a"},
		{"K5 and the next migration is set up", func(w *world) {
			release := w.wire.hold(migrationResource)
			running(w)
			w.put(newMigration(phase(kubevirtv1.MigrationFailed)), newPod(nextPod...), newMigration(nextMigration))
			release()
		}, "node-a,node-c rarp", "node-a,node-c rarp"},
		{"K6 an older pod is deleted during the migration", func(w *world) {
			older := newPod(podNamed("older", 2), podOf("uid-older"), podOn("node-c"))
			w.put(older)
			running(w)
			w.remove(older)
		}, "", movingOptions},
		{"K6 with the migration's watch behind", func(w *world) {
			older := newPod(podNamed("older", 2), podOf("uid-older"), podOn("node-c"))
			w.put(older, newVMI(), newMigration(phase(kubevirtv1.MigrationPending)))
			release := w.wire.hold(migrationResource)
			w.put(newMigration(), newPod(podOn("node-b"))) // the pod's event sets it up
			w.remove(older)
			release()
		}, movingOptions, movingOptions},
		{"K6 the last try's pod is deleted before this one's is bound", func(w *world) {
			w.put(newVMI(), sourcePod(), newPod(podOn("node-b")), newMigration())
			w.put(newMigration(phase(kubevirtv1.MigrationFailed)))
			w.put(newPod(podNamed("target-2", 31), podOf(next)), newMigration(nextMigration))
			w.remove(newPod())
			w.put(newPod(nextPod...))
			w.sleepUntil(time.Second)
		}, "node-a,node-c rarp", "node-a,node-c rarp"},
		{"K7 restart replays a migration that ended", func(w *world) {
			w.put(newVMI(stateOf(uid, "node-b", "node-a")), newMigration(phase(kubevirtv1.MigrationSucceeded)))
			w.put(newPod(nextPod...), newMigration(migrationNamed("a-next", 30), func(m *kubevirtv1.VirtualMachineInstanceMigration) { m.UID = next }))
			w.stop()
			w.run(w.variant)
		}, "node-a", "node-a,node-c rarp"},
		{"K8 state of the migration before", func(w *world) {
			w.put(newVMI(vmiOn("node-a"), stateOf("uid-older", "node-d", "node-a")), newPod(podOn("node-b")), newMigration())
		}, movingOptions, movingOptions},
		{"failed before the hand-over, its pod stays", func(w *world) {
			running(w)
			w.put(newMigration(phase(kubevirtv1.MigrationFailed)))
		}, movingOptions, "node-a"},
		{"succeeded", func(w *world) {
			running(w)
			w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationSucceeded)))
		}, "node-b", "node-b"},
		{"succeeded, then the source pod goes", func(w *world) {
			running(w)
			w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationSucceeded)))
			w.remove(sourcePod())
		}, "", "node-b"},
		{"succeeded, the source pod goes first", func(w *world) {
			running(w)
			w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")))
			w.remove(sourcePod())
			w.put(newMigration(phase(kubevirtv1.MigrationSucceeded)))
		}, "", "node-b"},
		{"the end is known late, and a pod goes meanwhile", func(w *world) {
			running(w)
			release := w.wire.hold(migrationResource)
			w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationSucceeded)))
			w.remove(sourcePod())
			w.sleepUntil(time.Second)
			w.wantOptions(map[bool]string{true: "node-b", false: ""}[w.variant == Wake])
			release()
		}, "", "node-b"},
		{"the VM is stopped after its migration", func(w *world) {
			running(w)
			w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationSucceeded)))
			w.put(newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b"), finalVMI))
			w.remove(sourcePod(), newPod())
		}, "", ""},
		{"the VM is stopped and its VMI still says Running", func(w *world) {
			running(w)
			w.remove(sourcePod(), newPod())
			w.put(newMigration(phase(kubevirtv1.MigrationFailed)))
		}, "", ""},
		{"the migration is deleted before it ends", func(w *world) {
			running(w)
			w.remove(newMigration())
		}, movingOptions, "node-a"},
		{"the VM and its migration are deleted", func(w *world) {
			running(w)
			w.remove(newVMI(), newMigration())
			w.remove(sourcePod(), newPod())
		}, "", ""},
		{"two migrations, the first one fails", func(w *world) {
			w.put(newVMI(), newPod(podOn("node-b")), newMigration())
			w.put(newPod(nextPod...), newMigration(nextMigration))
			w.wantOptions("node-a,node-c rarp")
			w.put(newMigration(phase(kubevirtv1.MigrationFailed)))
		}, "node-a,node-c rarp", "node-a,node-c rarp"},
		{"two migrations, the second one fails", func(w *world) {
			w.put(newVMI(), newPod(podOn("node-b")), newMigration())
			w.put(newPod(nextPod...), newMigration(nextMigration))
			w.put(newMigration(nextMigration, phase(kubevirtv1.MigrationFailed)))
		}, "node-a,node-c rarp", movingOptions},
		{"two migrations, the first one is handed over", func(w *world) {
			w.put(newVMI(), newPod(podOn("node-b")), newMigration())
			w.put(newPod(nextPod...), newMigration(nextMigration))
			w.put(newVMI(stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationScheduled)))
		}, "node-a,node-c rarp", movingOptions},
		{"attachment pod of a hot-plugged volume comes first", func(w *world) {
			volume := newPod(podNamed("hp-volume", 40), podOn("node-d"), func(pod *corev1.Pod) {
				pod.Labels = map[string]string{kubevirtv1.AppLabel: attachment, kubevirtv1.MigrationJobLabel: uid}
			})
			w.put(newVMI(), volume, newPod(podOn("node-b")), newMigration())
		}, "node-a,node-d rarp", movingOptions},
		{"a second target pod replaces the first", func(w *world) {
			running(w)
			w.put(newPod(podNamed("target-2", 31), podOn("node-c")))
			w.remove(newPod())
		}, "", "node-a,node-c rarp"},
	}
	for _, test := range tests {
		for _, v := range []Variant{Both, Wake} {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				want := test.both
				if v == Wake {
					want = test.wake
				}
				inWorld(t, v, func(w *world) {
					test.story(w)
					w.wantOptions(want)
					w.sleepUntil(time.Hour)
					w.wantOptions(want)
				})
			})
		}
	}
}

// TestWakeKeepsWhatAMigrationNeeds: from its set-up to its end, no event of
// another pod or migration takes a migration's options away, not for a moment.
func TestWakeKeepsWhatAMigrationNeeds(t *testing.T) {
	older := newPod(podNamed("older", 2), podOf("uid-older"), podOn("node-c"))
	ended := newMigration(migrationNamed("ended", 2), phase(kubevirtv1.MigrationSucceeded))
	inWorld(t, Wake, func(w *world) {
		w.put(newVMI(), sourcePod(), older, ended, newPod(podOn("node-b")), newMigration())
		w.wantOptions(movingOptions)
		w.ovn.before = func(op string) { t.Errorf("port written (%s) while the migration needs it", op) }
		w.remove(older)
		w.put(newPod(podOn("node-b"), func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning }))
		w.put(newMigration(phase(kubevirtv1.MigrationScheduled)))
		w.remove(ended)
		w.put(newVMI(stateOf(uid, "node-a", "node-b")), newMigration(phase(kubevirtv1.MigrationRunning)))
		w.stop()
		w.run(Wake)
		w.remove(sourcePod())
		w.sleepUntil(time.Hour)
		w.ovn.before = nil
	})
}

// TestWorkersOfWakeTakeTurns: the pod of an earlier try is deleted while the
// migration's handler is between its reads and its write, and the other way round.
func TestWorkersOfWakeTakeTurns(t *testing.T) {
	older := newPod(podNamed("older", 2), podOf("uid-older"), podOn("node-c"))
	t.Run("deletion during a set-up", func(t *testing.T) {
		inWorld(t, Wake, func(w *world) {
			w.put(newVMI(), sourcePod(), older, newPod(podOn("node-b")))
			w.ovn.before = func(op string) {
				w.ovn.before = nil
				w.api.remove(older)
				time.Sleep(ms) // the deletion reaches the second worker meanwhile
			}
			w.put(newMigration())
			w.sleepUntil(time.Second)
			w.wantOptions(movingOptions)
			w.wantWrites("set vm.default node-a,node-b")
		})
	})
	t.Run("set-up during a clean-up", func(t *testing.T) {
		inWorld(t, Wake, func(w *world) {
			w.ovn.ports[portName] = LogicalSwitchPort{Name: portName, ExternalIDs: map[string]string{PodID: vmName},
				Options: map[string]string{RequestedChassis: "node-a,node-c", ActivationStrategy: RARP}}
			w.put(newVMI(), sourcePod(), older)
			w.ovn.before = func(op string) {
				w.ovn.before = nil
				w.api.put(newPod(podOn("node-b")))
				w.api.put(newMigration())
				time.Sleep(ms) // both reach the controller before this write is done
			}
			w.remove(older)
			w.sleepUntil(time.Second)
			w.wantOptions(movingOptions)
			w.wantWrites("reset vm.default node-a", "set vm.default node-a,node-b")
		})
	})
}

// TestPodEventSkipsTheBackOff: however long the back-off has become, the pod's bind
// leads to the set-up at once.
func TestPodEventSkipsTheBackOff(t *testing.T) {
	for _, at := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} {
		t.Run(at.String(), func(t *testing.T) {
			inWorld(t, Wake, func(w *world) {
				w.put(newVMI(), newPod(), newMigration())
				w.sleepUntil(at)
				w.put(newPod(podOn("node-b")))
				w.wantOptions(movingOptions)
			})
		})
	}
}
