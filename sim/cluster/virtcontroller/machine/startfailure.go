package machine

import (
	"math/rand/v2"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// The back-off of starts: base·n² and up to half of that on top, at most the cap,
// in whole seconds (kubevirt-behaviour A.5).
const (
	startBackoffBase = 10 // seconds: max(300/30, 10)
	startBackoffCap  = 300
)

// startBackoff is how many seconds to wait after the nth failed start in a row.
func startBackoff(n int, random *rand.Rand) int {
	delay := startBackoffBase * n * n
	return min(delay+random.IntN(delay/2+1), startBackoffCap)
}

// startBackoffLeft is how long a start still has to wait. Timestamps have whole
// seconds, and so has the wait.
func startBackoffLeft(vm map[string]any, now time.Time) time.Duration {
	retry := standin.Time(vm, "status", "startFailure", "retryAfterTimestamp")
	if retry.IsZero() {
		return 0
	}
	return max(0, time.Duration(retry.Unix()-now.Unix())*time.Second)
}

// syncStartFailure counts instances that ended without ever having run, each once.
// One that ran clears the count, and so does a strategy that does not retry.
func (p *pass) syncStartFailure() {
	strategy, _ := facts.RunStrategy(p.content) // two strategies do not get here
	switch {
	case everRan(p.vmi) || !retries(strategy):
		standin.Remove(p.content, "status", "startFailure")
		return
	case p.vmi == nil || !p.vmi.Final():
		return
	case standin.String(p.content, "status", "startFailure", "lastFailedVMIUID") == p.vmi.UID:
		return
	}
	count, _ := standin.Int(p.content, "status", "startFailure", "consecutiveFailCount")
	delay := startBackoff(int(count)+1, p.Gate.Rand())
	standin.Set(p.content, map[string]any{
		"consecutiveFailCount": count + 1,
		"lastFailedVMIUID":     p.vmi.UID,
		"retryAfterTimestamp":  standin.Timestamp(p.Gate.Wall().Add(time.Duration(delay) * time.Second)),
	}, "status", "startFailure")
}

// retries tells whether a strategy starts a machine again by itself, as far as the
// count of failures goes.
func retries(strategy string) bool {
	return strategy == facts.RunAlways || strategy == facts.RunRerunOnFailure || strategy == facts.RunOnce
}

// everRan tells whether the instance has been in the phase Running.
func everRan(vmi *facts.VMI) bool {
	if vmi == nil {
		return false
	}
	for _, t := range standin.Items(vmi.Content(), "status", "phaseTransitionTimestamps") {
		if standin.String(t, "phase") == facts.PhaseRunning {
			return true
		}
	}
	return false
}
