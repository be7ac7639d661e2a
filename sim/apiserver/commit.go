package apiserver

import "github.com/vmreplay/vmreplay/sim/engine"

// A commit is one write that observers and watches are to be told of.
type commit struct {
	store  *store
	record record
}

// write commits a new state of an object; before is nil if it did not exist.
// Content must be new, down to its metadata.
func (s *Server) write(res *resource, before *Object, content map[string]any) *Object {
	s.version++
	after := newObject(res, content, s.version)
	after.base = before
	after.written = s.clock.Wall()
	eventType := engine.Added
	if before != nil {
		eventType = engine.Modified
	}
	st := s.store(res)
	st.put(after)
	s.committed(st, record{eventType, after, before})
	return after
}

// erase commits the end of an object. The event carries its last state.
func (s *Server) erase(last *Object) *Object {
	s.version++
	st := s.store(last.res)
	st.remove(last.key)
	final := last.at(s.version)
	s.committed(st, record{engine.Deleted, final, last})
	return final
}

// committed records a write and tells of it. If it was made while an earlier one
// is being told (by an observer), it waits its turn, so that everybody sees the
// same order.
func (s *Server) committed(st *store, r record) {
	st.remember(r, s.history)
	s.times = append(s.times, instant{s.clock.Elapsed(), s.version})
	s.pending = append(s.pending, commit{st, r})
	if s.telling {
		return
	}
	s.telling = true
	for len(s.pending) > 0 {
		next := s.pending[0]
		s.pending = s.pending[1:]
		s.tell(next)
	}
	s.pending = nil
	s.telling = false
}

func (s *Server) tell(c commit) {
	change := engine.Change{Type: c.record.eventType, Ref: c.record.object.ref}
	if c.record.previous != nil {
		change.Before = c.record.previous
	}
	if c.record.eventType != engine.Deleted {
		change.After = c.record.object
	}
	for _, f := range s.observers {
		f(change)
	}
	for _, w := range c.store.watches {
		w.tell(c.record)
	}
}
