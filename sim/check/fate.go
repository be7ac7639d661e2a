package check

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A State says where a key is.
type State string

// Where a key can be.
const (
	KeyDropped State = "dropped" // in no queue: nothing brings it back but a new event
	KeyWaits   State = "waits"   // for its retry, or among the delayed ones
	KeyQueued  State = "queued"
	KeyInWork  State = "in work"
	KeyLost    State = "lost" // with its process
)

// A Fate is what had become of one key of one queue by an instant.
type Fate struct {
	Process, Queue, Key string
	State               State
	// Last is when the last attempt ended, or began if it is in work.
	Last time.Duration
	// Log is what the last attempt logged, in order, without levels.
	Log []string
	// Said is what was logged of the key, by name, in the whole run.
	Said []string
}

// Fates are what had become of every key of every queue by an instant, sorted by
// process, queue and key. Keys that were never worked on or queued are left out.
func Fates(t *engine.Trace, until time.Duration) []Fate {
	var all []Fate
	for _, h := range histories(t, until, nil) {
		last := h.last()
		f := Fate{Process: h.process, Queue: h.queue, Key: h.key, State: h.state(last)}
		f.Said = h.said(t, until)
		if last != nil {
			f.Last, f.Log = last.end, h.texts(t, last)
			if last.running {
				f.Last = last.start
			}
		}
		if f.State != "" {
			all = append(all, f)
		}
	}
	return all
}

func (h *history) state(last *attempt) State {
	switch {
	case last != nil && last.running:
		return KeyInWork
	case h.lost.known:
		return KeyLost
	case h.queued.known:
		return KeyQueued
	case h.retry.limited && last == nil:
		return "" // a stand-in's queue, which notes its failures only
	case h.retry.known:
		return KeyWaits
	case last != nil:
		return KeyDropped
	}
	return ""
}

// said are the log lines of the process that name the key.
func (h *history) said(t *engine.Trace, until time.Duration) []string {
	var lines []string
	for i := range t.Notes {
		n := &t.Notes[i]
		if n.At <= until && n.Process == h.process && n.Source == engine.SourceLog && n.Key == h.key {
			lines = append(lines, oneLine(n.Text))
		}
	}
	return lines
}

// texts are what the process logged during an attempt.
func (h *history) texts(t *engine.Trace, a *attempt) []string {
	var texts []string
	for i := h.firstLog(t, a); i <= a.lastNote; i++ {
		if n := &t.Notes[i]; n.Process == h.process && n.Source == engine.SourceLog {
			texts = append(texts, oneLine(n.Text))
		}
	}
	return texts
}
