package vmim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

const ms = time.Millisecond

// The fact that is missing appears here in all of the stories: no retry of the
// default back-off (5, 15, 35, 75, 155, 315 ms ...) is due at this instant.
const late = 300 * ms

// upTo are the attempts of a key that fails from the start until an instant,
// followed by others.
func upTo(end time.Duration, others ...time.Duration) []time.Duration {
	attempts := []time.Duration{0}
	for wait, at := 5*ms, 5*ms; at <= end; at += wait {
		attempts = append(attempts, at)
		wait *= 2
	}
	return append(attempts, others...)
}

type course struct {
	attempts []time.Duration
	set      time.Duration // when the options were set; never is -1
}

const never = -1

// TestMissingFactAppearsLate is the measured truth table of one enqueued migration
// whose missing fact appears 300 ms later (upstream-verdicts 1.2).
func TestMissingFactAppearsLate(t *testing.T) {
	dropped := course{[]time.Duration{0}, never}
	retried := course{upTo(315 * ms), 315 * ms}
	bound := newPod(podOn("node-b"))
	tests := []struct {
		name    string
		objects []runtime.Object
		late    []runtime.Object
		want    map[Variant]course
	}{
		{"a pod created late", []runtime.Object{newVMI(), newMigration()}, []runtime.Object{bound}, map[Variant]course{
			None: dropped, SchedulingRetry: dropped, TargetPodRetry: retried, Both: retried,
			Wake: {upTo(155*ms, late, 315*ms), late}}},
		{"b pod gets its node late", []runtime.Object{newVMI(), newPod(), newMigration()}, []runtime.Object{bound}, map[Variant]course{
			None: dropped, SchedulingRetry: retried, TargetPodRetry: dropped, Both: retried,
			Wake: {upTo(155*ms, late, 315*ms), late}}},
		{"c source node known late", []runtime.Object{newVMI(vmiOn("")), bound, newMigration()}, []runtime.Object{newVMI()}, map[Variant]course{
			None: dropped, SchedulingRetry: retried, TargetPodRetry: dropped, Both: retried, Wake: retried}},
		{"x2 state filled late", []runtime.Object{newVMI(), bound, newMigration(stateless)}, []runtime.Object{newMigration()}, map[Variant]course{
			None: dropped, SchedulingRetry: dropped, TargetPodRetry: dropped, Both: dropped, Wake: {[]time.Duration{0}, 0}}},
		{"x7 pod gets its node and the phase moves on", []runtime.Object{newVMI(), newPod(), newMigration()},
			[]runtime.Object{bound, newMigration(phase(kubevirtv1.MigrationScheduled))}, map[Variant]course{
				None: {[]time.Duration{0, late}, never}, SchedulingRetry: {upTo(155*ms, late, 315*ms), never},
				TargetPodRetry: {[]time.Duration{0, late}, never}, Both: {upTo(155*ms, late, 315*ms), never},
				Wake: {upTo(155*ms, late, late, 315*ms), late}}},
		{"a and b, one after the other", []runtime.Object{newVMI(), newMigration()}, []runtime.Object{newPod(), bound}, map[Variant]course{
			None: dropped, SchedulingRetry: dropped, TargetPodRetry: retried, Both: retried,
			Wake: {upTo(155*ms, late, late, 305*ms), late}}},
	}
	for _, test := range tests {
		for _, v := range Variants() {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				inWorld(t, v, func(w *world) {
					w.put(test.objects...)
					got := course{set: never}
					w.ovn.before = func(op string) {
						if op == "set" && got.set == never {
							got.set = time.Since(w.start)
						}
					}
					if len(w.ovn.written()) > 0 {
						got.set = 0
					}
					w.sleepUntil(late)
					w.put(test.late...)
					w.sleepUntil(late + 3*time.Second)
					got.attempts = w.attemptsAt(MigrationQueue, migrationName)
					if diff := cmp.Diff(test.want[v], got, cmp.AllowUnexported(course{})); diff != "" {
						t.Errorf("attempts and set-up (-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// TestPodBoundAfterAMinute: a back-off notices at twice the time (82 s for a pod
// bound after 60 s: upstream-verdicts 3), a pod event at once.
func TestPodBoundAfterAMinute(t *testing.T) {
	want := map[Variant]time.Duration{
		None: never, TargetPodRetry: never,
		SchedulingRetry: 5 * (1<<14 - 1) * ms, Both: 5 * (1<<14 - 1) * ms,
		Wake: time.Minute,
	}
	for _, v := range Variants() {
		t.Run(string(v), func(t *testing.T) {
			inWorld(t, v, func(w *world) {
				set := time.Duration(never)
				w.ovn.before = func(string) { set = time.Since(w.start) }
				w.put(newVMI(), newPod(), newMigration())
				w.sleepUntil(time.Minute)
				w.put(newPod(podOn("node-b")))
				w.sleepUntil(15 * time.Minute)
				if set != want[v] {
					t.Errorf("options set after %v, want %v (never is %v)", set, want[v], time.Duration(never))
				}
			})
		})
	}
}

// TestBackOffIsCapped: a key that fails for ever is tried at ever longer distances,
// up to 1000 s.
func TestBackOffIsCapped(t *testing.T) {
	inWorld(t, Both, func(w *world) {
		w.put(newVMI(), newPod(), newMigration())
		w.sleepUntil(2 * time.Hour)
		attempts := w.attemptsAt(MigrationQueue, migrationName)
		wait := 5 * ms
		for i := 1; i < len(attempts); i++ {
			if got := attempts[i] - attempts[i-1]; got != wait {
				t.Fatalf("attempt %d came %v after the one before, want %v", i+1, got, wait)
			}
			wait = min(2*wait, 1000*time.Second)
		}
		if wait != 1000*time.Second {
			t.Errorf("after two hours the back-off is %v, want the cap of 1000 s", wait)
		}
	})
}

func TestEventsThatEnqueue(t *testing.T) {
	labelled := func(m *kubevirtv1.VirtualMachineInstanceMigration) { m.Labels = map[string]string{"touched": "yes"} }
	deleting := func(m *kubevirtv1.VirtualMachineInstanceMigration) {
		now := instant(20)
		m.DeletionTimestamp, m.Finalizers = &now, []string{kubevirtv1.VirtualMachineInstanceMigrationFinalizer}
	}
	leaving := func(pod *corev1.Pod) {
		now := instant(20)
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &now, ptr.To[int64](0)
	}
	bound := newPod(podOn("node-b"))
	tests := []struct {
		name       string
		act        func(*world)
		want, wake int // attempts beside the first
	}{
		{"same phase", func(w *world) { w.put(newMigration(labelled)) }, 0, 0},
		{"another phase", func(w *world) { w.put(newMigration(phase(kubevirtv1.MigrationScheduled))) }, 1, 1},
		{"deletionTimestamp set", func(w *world) { w.put(newMigration(deleting)) }, 1, 1},
		{"deletionTimestamp still set", func(w *world) { w.put(newMigration(deleting)); w.put(newMigration(deleting, labelled)) }, 2, 2},
		{"migration deleted", func(w *world) { w.remove(newMigration()) }, 0, 0},
		{"VMI changed", func(w *world) { w.put(newVMI(vmiOn("node-c"))) }, 0, 0},
		{"pod changed in nothing that is read", func(w *world) { w.put(newPod(podOn("node-b"), podOf(uid))) }, 0, 0},
		{"pod bound elsewhere", func(w *world) { w.put(newPod(podOn("node-c"))) }, 0, 1},
		{"pod marked as deleted", func(w *world) { w.put(newPod(podOn("node-b"), leaving)) }, 0, 1},
		{"pod deleted", func(w *world) { w.put(newPod(podOn("node-b"), leaving)); w.remove(bound) }, 0, 2},
		{"pod of nothing", func(w *world) { w.put(sourcePod()) }, 0, 0},
	}
	for _, test := range tests {
		for _, v := range []Variant{None, Both, Wake} {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				inWorld(t, v, func(w *world) {
					w.put(newVMI(), bound, newMigration())
					before := len(w.attemptsAt(MigrationQueue, migrationName))
					test.act(w)
					got := len(w.attemptsAt(MigrationQueue, migrationName)) - before
					want := test.want
					if v == Wake {
						want = test.wake
					}
					if got != want {
						t.Errorf("%d attempts followed, want %d", got, want)
					}
				})
			})
		}
	}
}
