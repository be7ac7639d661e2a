package apiserver

import "time"

// An API front-end answers a list that takes any state from its own watch cache,
// which may be behind what others have seen. All other reads wait until it has
// caught up, so nothing of it shows in them.

// An instant is when a version was written.
type instant struct {
	at      time.Duration
	version uint64
}

// takesAnyState says that a list is content with whatever a front-end has.
func (q *query) takesAnyState() bool { return q.resourceVersion == "0" && q.next == "" }

// versionBefore is the version that the server had some time ago, or that of the
// start of the run, if that was later.
func (s *Server) versionBefore(ago time.Duration) uint64 {
	at := max(s.clock.Elapsed()-ago, 0)
	version := uint64(1)
	for _, t := range s.times {
		if t.at > at {
			break
		}
		version = t.version
	}
	return version
}

// wroteSince says that there was a write after a version.
func (s *store) wroteSince(version uint64) bool {
	records, ok := s.since(version)
	return !ok || len(records) > 0
}
