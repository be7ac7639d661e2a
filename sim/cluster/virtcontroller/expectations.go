package virtcontroller

import "time"

// expectationTimeout is when an expected event is no longer waited for
// (kubevirt-behaviour 0.3, E).
const expectationTimeout = 5 * time.Minute

// expectations are creations whose events are still to come: until then the
// cache must not be taken for the truth.
type expectations map[string]expectation

type expectation struct {
	missing int
	since   time.Duration
}

// expect overwrites what was expected before (kubevirt-behaviour 0.3).
func (e expectations) expect(key string, n int, now time.Duration) {
	e[key] = expectation{missing: n, since: now}
}

// observe notes an event that was waited for, or a creation that failed.
func (e expectations) observe(key string) {
	if x, ok := e[key]; ok && x.missing > 0 {
		x.missing--
		e[key] = x
	}
}

func (e expectations) satisfied(key string, now time.Duration) bool {
	return !e[key].open(now)
}

// pending tells whether any creation is still waited for.
func (e expectations) pending(now time.Duration) bool {
	for _, x := range e {
		if x.open(now) {
			return true
		}
	}
	return false
}

func (x expectation) open(now time.Duration) bool {
	return x.missing > 0 && now-x.since <= expectationTimeout
}
