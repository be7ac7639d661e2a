package vmim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// TestRandomLives has a VM migrate three times, with random outcomes, pauses,
// latencies, refusals of OVN, restarts of the controller and deletions of old pods.
// The variant wake must never take from a migration what it needs, and must leave
// the port right after every one. The other variants must not survive this: if they
// did, it would show nothing.
func TestRandomLives(t *testing.T) {
	const lives = 100
	for _, v := range []Variant{None, Both, Wake} {
		t.Run(string(v), func(t *testing.T) {
			t.Parallel()
			failed := 0
			for seed := range uint64(lives) {
				complaints := live(t, v, seed)
				if len(complaints) == 0 {
					continue
				}
				failed++
				if v == Wake {
					t.Errorf("seed %d:\n  %s", seed, strings.Join(complaints, "\n  "))
				}
			}
			if v != Wake && failed < lives/4 {
				t.Errorf("only %d of %d lives went wrong", failed, lives)
			}
			t.Logf("%d of %d lives went wrong", failed, lives)
		})
	}
}

// life is what is true of the VM while it lives.
type life struct {
	*world
	*rand.Rand
	node string // where the VM runs
	pods []*corev1.Pod

	mu         sync.Mutex
	needed     string // the options that an unfinished migration has and needs
	complaints []string
}

func live(t *testing.T, v Variant, seed uint64) []string {
	l := &life{Rand: rand.New(rand.NewPCG(seed, 1)), node: "node-a"}
	inWorld(t, v, func(w *world) {
		l.world = w
		w.wire.delay = latencies(seed)
		w.ovn.before = l.beforeWrite
		l.start()
		for i := range 3 {
			l.migrate(i)
		}
	})
	return l.complaints
}

// latencies gives every request and event its own latency up to 8 ms, which depends
// on its name and how-manieth it is, not on who asks first.
func latencies(seed uint64) func(name string) time.Duration {
	var mu sync.Mutex
	count := map[string]int{}
	return func(name string) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		count[name]++
		hash := fnv.New64a()
		fmt.Fprint(hash, name, " ", count[name])
		return time.Duration(1 + rand.New(rand.NewPCG(seed, hash.Sum64())).Int64N(int64(8*time.Millisecond)))
	}
}

func (l *life) beforeWrite(op string) {
	time.Sleep(l.wire.delay("OVN " + op))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.needed != "" && op != "set" && l.ovn.options() == l.needed {
		l.complain("%s while a migration needs %q", op, l.needed)
	}
}

func (l *life) complain(format string, args ...any) {
	l.complaints = append(l.complaints, fmt.Sprintf("%v: ", time.Since(l.world.start))+fmt.Sprintf(format, args...))
}

func (l *life) need(options string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.needed = options
}

func (l *life) start() {
	source := newPod(podNamed("pod-0", 1), podOf(""), podOn(l.node))
	l.pods = []*corev1.Pod{source}
	l.api.put(newVMI())
	l.api.put(source)
	l.pause()
}

// pause lets up to 40 ms pass, and sometimes disturbs the controller.
func (l *life) pause() {
	time.Sleep(time.Duration(l.Int64N(int64(40 * time.Millisecond))))
	switch l.IntN(12) {
	case 0:
		l.stop()
		l.run(l.variant)
	case 1:
		l.ovn.mu.Lock()
		l.ovn.fail = fmt.Errorf("no leader")
		l.ovn.mu.Unlock()
	case 2:
		l.dropPod()
	}
}

// dropPod deletes the oldest pod in which the VM does not run.
func (l *life) dropPod() {
	for i, pod := range l.pods {
		if pod.Spec.NodeName != l.node && pod.Status.Phase == corev1.PodSucceeded {
			l.api.remove(pod)
			l.pods = append(l.pods[:i:i], l.pods[i+1:]...)
			return
		}
	}
}

// migrate is one migration from its creation to its end, in the order in which
// KubeVirt writes (kubevirt-behaviour D.3).
func (l *life) migrate(i int) {
	name, target := fmt.Sprintf("migration-%d", i), []string{"node-b", "node-c", "node-a"}[i]
	if target == l.node {
		target = "node-d"
	}
	id := types.UID("uid-" + name)
	named := migrationNamed(name, int64(10*i+10))
	state := stateless
	if l.IntN(8) > 0 {
		state = func(*kubevirtv1.VirtualMachineInstanceMigration) {}
	}
	enter := func(p kubevirtv1.VirtualMachineInstanceMigrationPhase) {
		l.api.put(newMigration(named, phase(p), state))
		l.pause()
	}
	enter(kubevirtv1.MigrationPhaseUnset)
	enter(kubevirtv1.MigrationPending)
	pod := newPod(podNamed(fmt.Sprintf("pod-%d", i+1), int64(10*i+11)), podOf(id))
	l.api.put(pod)
	bind := func() {
		pod = newPod(podNamed(pod.Name, int64(10*i+11)), podOf(id), podOn(target))
		l.api.put(pod)
		l.pause()
	}
	early := l.IntN(2) == 0
	if early {
		bind()
	}
	enter(kubevirtv1.MigrationScheduling)
	if !early {
		time.Sleep(time.Duration(l.Int64N(int64(time.Minute))))
		bind()
	}
	l.pods = append(l.pods, pod)
	moving := l.node + "," + target + " rarp"
	l.awaitSetUp(moving)
	if l.IntN(3) == 0 {
		l.fail(enter, pod)
	} else {
		l.succeed(enter, id, target)
	}
	l.awaitRelease()
}

// awaitSetUp: the target pod cannot become ready, and the phase not change, before
// the port is set up; it must be within 200 ms, which leaves room for one refusal.
func (l *life) awaitSetUp(options string) {
	time.Sleep(200 * time.Millisecond)
	if got := l.ovn.options(); got != options {
		l.complain("the port has %q and not %q, 200 ms after everything was known", got, options)
	}
	l.need(options)
	l.pause()
}

func (l *life) succeed(enter func(kubevirtv1.VirtualMachineInstanceMigrationPhase), id types.UID, target string) {
	source := l.node
	enter(kubevirtv1.MigrationScheduled)
	l.api.put(newVMI(vmiOn(source), stateOf(id, source, target)))
	l.pause()
	enter(kubevirtv1.MigrationRunning)
	l.node = target
	for i, pod := range l.pods {
		if pod.Spec.NodeName != target {
			l.pods[i] = newPod(podNamed(pod.Name, pod.CreationTimestamp.Unix()), podOf(types.UID(migrationUID(pod))), podOn(pod.Spec.NodeName),
				func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded })
			l.api.put(l.pods[i])
		}
	}
	l.api.put(newVMI(vmiOn(target), stateOf(id, source, target)))
	l.pause()
	l.need("")
	enter(kubevirtv1.MigrationSucceeded)
}

// fail ends the migration before its hand-over, as every timeout does; its pod is
// deleted at once, later or never.
func (l *life) fail(enter func(kubevirtv1.VirtualMachineInstanceMigrationPhase), pod *corev1.Pod) {
	l.need("")
	if l.IntN(2) == 0 {
		l.api.remove(pod)
		l.pods = l.pods[:len(l.pods)-1]
	} else {
		ended := pod.DeepCopy()
		ended.Status.Phase = corev1.PodSucceeded
		l.api.put(ended)
		l.pods[len(l.pods)-1] = ended
	}
	enter(kubevirtv1.MigrationFailed)
}

// awaitRelease: after a migration the port is the VM's node's alone, or free.
func (l *life) awaitRelease() {
	time.Sleep(200 * time.Millisecond)
	if got := l.ovn.options(); got != "" && got != l.node {
		l.complain("the port has %q, 200 ms after the migration's end; the VM is on %s", got, l.node)
	}
}
