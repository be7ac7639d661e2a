package explore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// cause says why a red run fails: which check does, and which key of the code
// under test is not where it is at the end of the written order.
func (p *Player) cause(r *sim.Result) Cause {
	failed := firstFailed(r)
	c := Cause{Check: failed.Name}
	if isBuiltIn(failed.Name) {
		line, _, _ := strings.Cut(failed.Message, "\n")
		if at := strings.LastIndex(line, ": "); at > 0 && failed.Name == sim.CheckHotLoop {
			line = line[:at] // what is repeated, without how often and when
		}
		c.Why = normalize(line)
		return c
	}
	fates := fatesOf(r.Trace, failed.At, p.under)
	if p.under[failed.After.Process] {
		p.blame(&c, failed, fates)
		return c
	}
	about := subject(p.sourceOf(failed.Name))
	var suspect *check.Fate
	for i := range fates {
		f := &fates[i]
		if p.written.fates[keyOf(*f)] == textOf(*f) {
			continue
		}
		if suspect == nil || about.worse(f, suspect) {
			suspect = f
		}
	}
	why := ""
	if suspect != nil {
		why = normalize(lastLog(*suspect))
	} else {
		suspect, why = p.turnOf(fates, about)
	}
	if suspect != nil {
		c.Process, c.Queue, c.Key, c.State, c.Why = suspect.Process, suspect.Queue, suspect.Key, suspect.State, why
	}
	return c
}

// blame names the step of the code under test that violated a check, and the key
// that it was working on.
func (p *Player) blame(c *Cause, failed *check.Result, fates []check.Fate) {
	c.Process, c.Why = failed.After.Process, nameOf(failed.After)
	for _, f := range fates {
		if f.Process == c.Process && f.State == check.KeyInWork {
			c.Queue, c.Key, c.State = f.Queue, f.Key, f.State
		}
	}
}

// firstFailed is the failing check that the file has first; those that every run
// makes by itself come after the file's, but a panic or a hot loop explains what
// comes after it.
func firstFailed(r *sim.Result) *check.Result {
	var first *check.Result
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.OK || isAboutTheStory(c.Name) {
			continue
		}
		if c.Name == sim.CheckNoPanic || c.Name == sim.CheckHotLoop {
			return c
		}
		if first == nil {
			first = c
		}
	}
	return first
}

func isBuiltIn(name string) bool {
	switch name {
	case sim.CheckNoPanic, sim.CheckHotLoop, sim.CheckNoLeak, sim.CheckNoExit:
		return true
	}
	return false
}

// A subject is what a check is about: the text of its expressions.
type subject string

// sourceOf is the text of the expressions of a check.
func (p *Player) sourceOf(name string) string {
	for i := range p.Story.Expect {
		if c := &p.Story.Expect[i]; c.Name == name && c.Eventually != nil {
			text := c.Eventually.Expr.Source
			if c.Eventually.OfWhen != nil {
				text += c.Eventually.OfWhen.Source
			}
			return text
		}
	}
	return ""
}

// worse says which of two keys explains more: one that the check names, then one
// that waits or is stuck more than one that was dropped, then the one that was
// worked on later.
func (s subject) worse(a, b *check.Fate) bool {
	return cmp.Or(cmp.Compare(s.names(a), s.names(b)), cmp.Compare(badness(a.State), badness(b.State)), cmp.Compare(a.Last, b.Last)) > 0
}

func (s subject) names(f *check.Fate) int {
	if strings.Contains(string(s), `"`+f.Key+`"`) {
		return 1
	}
	return 0
}

func badness(s check.State) int {
	return slices.Index([]check.State{check.KeyDropped, check.KeyLost, check.KeyQueued, check.KeyWaits, check.KeyInWork}, s)
}

// fatesOf are the fates of the keys of the processes under test.
func fatesOf(t *engine.Trace, until time.Duration, under map[string]bool) []check.Fate {
	return slices.DeleteFunc(check.Fates(t, until), func(f check.Fate) bool { return !under[f.Process] })
}

func keyOf(f check.Fate) string { return f.Process + "\x00" + f.Queue + "\x00" + f.Key }

func textOf(f check.Fate) string { return string(f.State) + " " + lastLog(f) }

// lastLog is the last that a key's last attempt logged.
func lastLog(f check.Fate) string {
	if len(f.Log) == 0 {
		return ""
	}
	return f.Log[len(f.Log)-1]
}
