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

// A watched is something that has to make progress in real time.
type watched interface {
	// progress changes whenever there is some.
	progress() uint64
	// limit is how long there may be none.
	limit() time.Duration
	// stuck is called when that time is over, and again each time that it has
	// passed once more.
	stuck(limit time.Duration)
}

// dog is the one watchdog of the process. It lives outside of all bubbles, where
// time is real, on an operating system thread of its own.
var dog struct {
	mu      sync.Mutex
	watched map[watched]*vigil
	awake   bool
}

// A vigil is what the watchdog last saw.
type vigil struct {
	seen  uint64
	since time.Time
}

// watch puts something under the watchdog's eyes. After unwatch, stuck is not
// called any more.
func watch(w watched) (unwatch func()) {
	dog.mu.Lock()
	defer dog.mu.Unlock()
	if dog.watched == nil {
		dog.watched = map[watched]*vigil{}
	}
	dog.watched[w] = &vigil{seen: w.progress(), since: time.Now()}
	if !dog.awake {
		dog.awake = true
		go patrol()
	}
	return func() {
		dog.mu.Lock()
		defer dog.mu.Unlock()
		delete(dog.watched, w)
	}
}

// patrol looks ten times a second while there is something to look at.
func patrol() {
	runtime.LockOSThread()
	for range time.Tick(100 * time.Millisecond) {
		dog.mu.Lock()
		now := time.Now()
		for w, v := range dog.watched {
			v.look(w, now)
		}
		if len(dog.watched) == 0 {
			dog.awake = false
			dog.mu.Unlock()
			return
		}
		dog.mu.Unlock()
	}
}

func (v *vigil) look(w watched, now time.Time) {
	if p := w.progress(); p != v.seen {
		v.seen, v.since = p, now
		return
	}
	if limit := w.limit(); now.Sub(v.since) >= limit {
		v.since = now
		w.stuck(limit)
	}
}

// diagnosed hands a diagnosis to the one who waits for it, if there is none yet.
func diagnosed(hung chan<- string, limit time.Duration, text string) {
	select {
	case hung <- fmt.Sprintf("no progress for %v of real time: %s", limit, text):
	default:
	}
}

func (r *run) progress() uint64 { return r.turns.Load() }

func (r *run) limit() time.Duration { return r.patience }

func (r *run) stuck(limit time.Duration) {
	// The engine itself may be what hangs; then its state must not be read.
	if !r.deciding.TryLock() {
		diagnosed(r.hung, limit, engineHangs+"\n"+strings.Join(bubbleStacks(r.bubble.Load()), "\n\n"))
		return
	}
	r.abandoned = true
	r.deciding.Unlock()
	diagnosed(r.hung, limit, diagnose(bubbleStacks(r.bubble.Load())))
}

const engineHangs = "the engine does not return"

// diagnose says which goroutines keep a bubble from being quiet, and why.
func diagnose(stacks []string) string {
	var why, rest []string
	for _, s := range stacks {
		if w := culprit(s); w != "" {
			why = append(why, w)
			rest = append(rest, s)
		}
	}
	suspects, culprits := len(why), strings.Join(why, ";")
	for _, s := range stacks {
		if w := behind(s, culprits); w != "" {
			why = append(why, w)
			rest = append(rest, s)
		}
	}
	if len(why) == suspects {
		for i := range why {
			why[i] = strings.Replace(why[i], otherHolds, noneHolds, 1)
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
		return fmt.Sprintf("%s %s (%s)%s", where, waitsForLock, kind, otherHolds)
	case kind == "IO wait" || kind == "syscall":
		return fmt.Sprintf("%s %s (%s), which the simulation does not have", where, waitsForNetwork, kind)
	case strings.HasPrefix(kind, "chan ") || strings.HasPrefix(kind, "select"):
		return fmt.Sprintf("%s waits for a channel that was made outside of the bubble (%s)", where, kind)
	case kind == "running" || kind == "runnable":
		return where + " " + neverWaits
	}
	return fmt.Sprintf("%s is in state %q", where, kind)
}

const (
	waitsForLock = "waits for a lock"
	otherHolds   = " whose holder sleeps or waits at the gate"
	noneHolds    = ": no goroutine is seen that could hold it, so the holder is this one itself or has ended"

	waitsForNetwork = "waits for the network or a file"
	neverWaits      = "runs and never waits"
	unnamed         = "a goroutine"

	// atTheGate is in the stack of a request of the controller's client.
	atTheGate = "lockstep.(*exchange).wait"
)

// behind says what a goroutine whose wait does let time pass has to do with those
// whose does not: it may hold their lock, wait for an answer that they read, or be
// the one that lets time pass in steps too small to get anywhere.
func behind(stack, culprits string) string {
	header, _, _ := strings.Cut(stack, "\n")
	switch {
	case strings.Contains(culprits, waitsForLock):
		return holder(stack)
	case culprits == unnamed+" "+neverWaits && strings.Contains(header, "[sleep"):
		return ownFrame(stack) + " sleeps again and again, and time hardly passes"
	case strings.Contains(culprits, unnamed+" "+waitsForNetwork) && strings.Contains(stack, "\nnet/http.") && !strings.Contains(stack, atTheGate):
		return waitsInHTTP(stack)
	}
	return ""
}

func waitsInHTTP(stack string) string {
	where := ownFrame(stack)
	if where == unnamed {
		return ""
	}
	return where + " waits for its answer"
}

// holder says what a goroutine does that may hold the lock that another waits
// for: those that sleep, and those that wait for an answer.
func holder(stack string) string {
	header, _, _ := strings.Cut(stack, "\n")
	switch {
	case strings.Contains(stack, "lockstep.(*run).root"):
		return ""
	case strings.Contains(stack, atTheGate):
		return ownFrame(stack) + " waits at the gate and may be the holder"
	case strings.Contains(header, "[sleep"):
		return ownFrame(stack) + " sleeps and may be the holder"
	}
	return ""
}

// foreign are the packages whose functions say nothing about a controller; a name
// that ends with a slash stands for a folder of them.
var foreign = []string{
	"runtime", "runtime/", "internal/", "sync", "sync/", "time", "context", "syscall", "os", "os/", "io", "bufio", "net", "net/", "crypto/",
	"testing", "testing/", "k8s.io/client-go/rest", "k8s.io/client-go/transport", "k8s.io/client-go/gentype",
}

// ownFrame is the first function of a stack that is the controller's own, or that
// of a library that it chose.
func ownFrame(stack string) string {
	for line := range strings.SplitSeq(stack, "\n") {
		if strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "created by") || strings.HasPrefix(line, "\t") || line == "" {
			continue
		}
		name := line
		if i := strings.LastIndex(line, "("); i > 0 { // pkg.f(args) or pkg.(*T).m(args)
			name = line[:i]
		}
		if !isForeign(packageOf(name)) {
			return name
		}
	}
	return unnamed
}

// packageOf is the path of the package that a function is of: that of net.example/a.F
// is net.example/a.
func packageOf(function string) string {
	last := strings.LastIndex(function, "/") + 1
	name, _, _ := strings.Cut(function[last:], ".")
	return function[:last] + name
}

func isForeign(pkg string) bool {
	return strings.HasSuffix(pkg, "/sim/lockstep") || slices.ContainsFunc(foreign, func(f string) bool {
		return pkg == f || strings.HasSuffix(f, "/") && strings.HasPrefix(pkg, f)
	})
}
