package lockstep

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
)

// Names of the pprof labels that the goroutines of a process inherit.
const (
	labelRun     = "vmreplay-run"
	labelProcess = "vmreplay-process"
)

// currentBubble reads the number of the bubble from the goroutine's own stack
// header, "goroutine 8 [running, synctest bubble 3]:"; 0 outside of a bubble.
func currentBubble() uint64 {
	var buf [128]byte
	return bubbleOf(string(buf[:runtime.Stack(buf[:], false)]))
}

func bubbleOf(stack string) uint64 {
	header, _, _ := strings.Cut(stack, "\n")
	_, rest, ok := strings.Cut(header, "synctest bubble ")
	if !ok {
		return 0
	}
	n, _ := strconv.ParseUint(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))], 10, 64)
	return n
}

// allStacks are the stacks of all goroutines.
func allStacks() []string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			return strings.Split(strings.TrimSpace(string(buf[:n])), "\n\n")
		}
		buf = make([]byte, 2*len(buf))
	}
}

// bubbleStacks are the stacks of all goroutines in a bubble.
func bubbleStacks(bubble uint64) []string {
	var out []string
	for _, s := range allStacks() {
		if bubbleOf(s) == bubble {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// currentGoroutine is the beginning of the header of the goroutine's own stack, by
// which it is found among others: "goroutine 8 ".
func currentGoroutine() string {
	var buf [64]byte
	name, _, _ := strings.Cut(string(buf[:runtime.Stack(buf[:], false)]), "[")
	return name
}

// stackOf is the stack of one goroutine, or empty if it has ended.
func stackOf(goroutine string) string {
	for _, s := range allStacks() {
		if strings.HasPrefix(s, goroutine) {
			return s
		}
	}
	return ""
}

// leaked describes the goroutines of a run that outlived it. The process is in
// their labels; where and how they wait is in their stacks.
func leaked(label string, bubble uint64) []string {
	var out []string
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err == nil {
		for s := range strings.SplitSeq(profile.String(), "\n\n") {
			if process, ok := labelled(s, label); ok {
				out = append(out, fmt.Sprintf("process %s left a goroutine:\n%s", process, strings.TrimSpace(s)))
			}
		}
	}
	if len(out) == 0 {
		for _, s := range bubbleStacks(bubble) {
			out = append(out, "a goroutine stayed:\n"+s)
		}
	}
	return out
}

// labelled finds the process in a goroutine profile's label line,
// `# labels: {"vmreplay-process":"p", "vmreplay-run":"7"}`.
func labelled(entry, run string) (process string, ok bool) {
	if !strings.Contains(entry, fmt.Sprintf("%q:%q", labelRun, run)) {
		return "", false
	}
	_, rest, ok := strings.Cut(entry, fmt.Sprintf("%q:\"", labelProcess))
	if !ok {
		return "", false
	}
	process, _, ok = strings.Cut(rest, `"`)
	return process, ok
}
