package crd

import (
	"sync"

	"github.com/vmreplay/vmreplay/sim/apiserver"
)

// memoLimit is how many values a memo has at most: of a status, some megabytes.
const memoLimit = 4096

// A memo is a set of values that were checked and found to be right. Times are
// virtual, and names come from the seed, so runs of one scenario write the same
// values over and over, and checking one takes ten times as long as finding it.
// What a check says depends on the value alone: to remember it changes no run.
type memo struct {
	mu     sync.Mutex
	values map[string]struct{}
}

func (m *memo) has(value any) bool {
	key := apiserver.AppendJSON(make([]byte, 0, 1024), value)
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.values[string(key)]
	return ok
}

// add forgets all others when there are too many.
func (m *memo) add(value any) {
	key := string(apiserver.AppendJSON(nil, value))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil || len(m.values) >= memoLimit {
		m.values = make(map[string]struct{})
	}
	m.values[key] = struct{}{}
}
