package lockstep

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// stuckAfter is how long, in real time, a bubble may make no progress.
const stuckAfter = 5 * time.Second

// dog is the one watchdog of the process. It lives outside of all bubbles, where
// time is real, on an operating system thread of its own.
var dog struct {
	mu      sync.Mutex
	watched map[*run]*vigil
	awake   bool
}

// A vigil is what the watchdog knows of one run.
type vigil struct {
	limit time.Duration
	turns uint64
	since time.Time
	hung  chan string
}

// watch puts a run under the watchdog's eyes. The channel gets the diagnosis if
// the run makes no progress for the limit.
func watch(r *run, limit time.Duration) (hung <-chan string, unwatch func()) {
	if limit == 0 {
		limit = stuckAfter
	}
	v := &vigil{limit: limit, since: time.Now(), hung: make(chan string, 1)}
	dog.mu.Lock()
	defer dog.mu.Unlock()
	if dog.watched == nil {
		dog.watched = map[*run]*vigil{}
	}
	dog.watched[r] = v
	if !dog.awake {
		dog.awake = true
		go patrol()
	}
	return v.hung, func() {
		dog.mu.Lock()
		defer dog.mu.Unlock()
		delete(dog.watched, r)
	}
}

// patrol looks at every run ten times a second while there are any.
func patrol() {
	runtime.LockOSThread()
	for range time.Tick(100 * time.Millisecond) {
		dog.mu.Lock()
		now := time.Now()
		for r, v := range dog.watched {
			v.look(r, now)
		}
		if len(dog.watched) == 0 {
			dog.awake = false
			dog.mu.Unlock()
			return
		}
		dog.mu.Unlock()
	}
}

func (v *vigil) look(r *run, now time.Time) {
	if t := r.turns.Load(); t != v.turns {
		v.turns, v.since = t, now
		return
	}
	if now.Sub(v.since) < v.limit {
		return
	}
	v.since = now
	text := fmt.Sprintf("no progress for %v of real time: ", v.limit)
	// The engine itself may be what hangs; then its state must not be read.
	if r.deciding.TryLock() {
		r.abandoned = true
		r.deciding.Unlock()
		text += diagnose(bubbleStacks(r.bubble.Load()))
	} else {
		text += "the engine does not return\n" + strings.Join(bubbleStacks(r.bubble.Load()), "\n\n")
	}
	select {
	case v.hung <- text:
	default:
	}
}

// diagnose says which goroutines keep a bubble from being quiet, and why.
func diagnose(stacks []string) string {
	var why, rest []string
	for _, s := range stacks {
		if w := culprit(s); w != "" {
			why = append(why, w)
			rest = append(rest, s)
		}
	}
	if strings.Contains(strings.Join(why, ";"), waitsForLock) {
		for _, s := range stacks {
			if h := holder(s); h != "" {
				why = append(why, h)
				rest = append(rest, s)
			}
		}
	}
	if len(why) == 0 {
		return "every goroutine waits, yet time does not pass\n\n" + strings.Join(stacks, "\n\n")
	}
	return strings.Join(why, "; ") + "\n\n" + strings.Join(rest, "\n\n")
}

// culprit says what a goroutine waits for if its wait does not let virtual time
// pass, and nothing otherwise.
func culprit(stack string) string {
	header, _, _ := strings.Cut(stack, "\n")
	_, state, _ := strings.Cut(header, "[")
	state, _, _ = strings.Cut(state, "]")
	if strings.Contains(state, "(durable)") || strings.HasPrefix(state, "synctest.") {
		return ""
	}
	kind, _, _ := strings.Cut(state, ",")
	where := ownFrame(stack)
	switch {
	case strings.HasPrefix(kind, "sync."):
		return fmt.Sprintf("%s %s (%s) whose holder sleeps or waits at the gate", where, waitsForLock, kind)
	case kind == "IO wait" || kind == "syscall":
		return fmt.Sprintf("%s waits for the network or a file (%s), which the simulation does not have", where, kind)
	case strings.HasPrefix(kind, "chan ") || strings.HasPrefix(kind, "select"):
		return fmt.Sprintf("%s waits for a channel that was made outside of the bubble (%s)", where, kind)
	case kind == "running" || kind == "runnable":
		return fmt.Sprintf("%s runs and never waits", where)
	}
	return fmt.Sprintf("%s is in state %q", where, kind)
}

const waitsForLock = "waits for a lock"

// holder says what a goroutine does that may hold the lock that another waits
// for: those that sleep, and those that wait for an answer.
func holder(stack string) string {
	header, _, _ := strings.Cut(stack, "\n")
	switch {
	case strings.Contains(stack, "lockstep.(*run).root"):
		return ""
	case strings.Contains(stack, "lockstep.(*exchange).wait"):
		return ownFrame(stack) + " waits at the gate and may be the holder"
	case strings.Contains(header, "[sleep"):
		return ownFrame(stack) + " sleeps and may be the holder"
	}
	return ""
}

// foreign are the packages whose functions say nothing about a controller.
var foreign = []string{"runtime.", "sync.", "internal/", "time.", "created by", "net/http.", "k8s.io/client-go/rest.", "k8s.io/client-go/transport."}

// ownFrame is the first function of a stack that is the controller's own, or that
// of a library that it chose.
func ownFrame(stack string) string {
	for line := range strings.SplitSeq(stack, "\n") {
		if strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "\t") || line == "" {
			continue
		}
		if slices.ContainsFunc(foreign, func(pkg string) bool { return strings.HasPrefix(line, pkg) }) || strings.Contains(line, "/sim/lockstep.") {
			continue
		}
		if i := strings.LastIndex(line, "("); i > 0 { // pkg.f(args) or pkg.(*T).m(args)
			return line[:i]
		}
		return line
	}
	return "a goroutine"
}
