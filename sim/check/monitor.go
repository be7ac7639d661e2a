package check

import (
	"errors"
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// World is the present objects of the cluster.
type World interface{ expr.World }

// A Monitor watches one run by the checks of a Spec. It belongs to the
// goroutine of the run's engine. The order of calls is Start, then Happened and
// Observe as the run goes, then Finish once.
type Monitor struct {
	spec   *Spec
	world  World
	states []state
	slots  []slot // by program
	events []instant
	caused bool // an event happened since the last Observe
	turn   int
	grace  *Grace
	jitter time.Duration
}

// Grace is how a perturbed run is judged: what must happen eventually has time
// until a bound after everything was healed, however early it would be due. Checks
// of exact times and numbers (backoff, rate, quiet) are about the schedule that
// is written down, and so are those that say so; they are left out.
type Grace struct {
	Healed, Bound time.Duration
}

// Forgive lets Finish judge with grace.
func (m *Monitor) Forgive(g Grace) { m.grace = &g }

// Jitter tells by how much the clock of the run may be off: delays that virtual
// time keeps to the microsecond need not be more exact than that.
func (m *Monitor) Jitter(d time.Duration) { m.jitter = d }

// deadline is when something that is due at an instant must have happened.
func (m *Monitor) deadline(due time.Duration) time.Duration {
	if m.grace == nil {
		return due
	}
	return max(due, m.grace.Healed+m.grace.Bound)
}

// A state is what is known of one check so far.
type state interface {
	// update is called at the start (step is nil) and after steps that may have
	// changed a condition, or in which an event happened.
	update(m *Monitor, at time.Duration, step *engine.Step)
	finish(m *Monitor, t *engine.Trace) Result
	check() *scenario.Check
}

// A slot is the present value of one program.
type slot struct {
	used   bool
	before bool // before the step
	now    bool
	err    error
	turn   int // of the last evaluation
}

// applied tells whether the program could be evaluated: its objects are there.
// A field that is not set is an ordinary state; an object that never exists, or
// a mistake in the expression, would make a check hold that checks nothing.
func (s *slot) applied() bool {
	var absent *expr.Absent
	return s.err == nil || errors.As(s.err, &absent) && !absent.Object
}

// An instant is when an event happened, if it did.
type instant struct {
	known bool
	at    time.Duration
}

// Monitor starts to watch a run of one variant. Checks that are restricted to
// other variants are left out.
func (s *Spec) Monitor(variant string, w World) *Monitor {
	m := &Monitor{
		spec: s, world: w,
		slots:  make([]slot, len(s.programs)),
		events: make([]instant, len(s.events)),
	}
	for i := range s.checks {
		c := &s.checks[i]
		if len(c.Variants) > 0 && !slices.Contains(c.Variants, variant) {
			continue
		}
		m.states = append(m.states, newState(c))
		m.use(c.expr)
		m.use(c.when)
	}
	return m
}

func (m *Monitor) use(program int) {
	if program >= 0 {
		m.slots[program].used = true
	}
}

func newState(c *compiled) state {
	switch {
	case c.Eventually != nil:
		return &eventually{compiled: c}
	case c.Always != nil:
		return &always{compiled: c}
	case c.Never != nil:
		return &never{compiled: c}
	case c.Stays != nil:
		return &stays{compiled: c}
	case c.Backoff != nil:
		return &backoff{compiled: c}
	case c.Rate != nil:
		return &rate{compiled: c}
	case c.LeaderOnly != "":
		return &leaderOnly{compiled: c}
	case c.Sometimes != nil:
		return &sometimes{compiled: c}
	}
	return &quiet{compiled: c}
}

// Start evaluates every condition over the world that the run starts with.
func (m *Monitor) Start() {
	m.turn++
	for i := range m.slots {
		m.evaluate(i)
	}
	m.update(0, nil)
}

// Happened says that an event of the timeline happened. Only the first time
// counts.
func (m *Monitor) Happened(event string, at time.Duration) {
	i := slices.Index(m.spec.events, event)
	if i < 0 || m.events[i].known {
		return
	}
	m.events[i] = instant{true, at}
	m.caused = true
}

// Observe takes in one step, after it was taken. Most steps change nothing that
// a condition reads: for them it costs next to nothing and allocates nothing.
func (m *Monitor) Observe(step *engine.Step) {
	if len(step.Changes) == 0 && !m.caused {
		return
	}
	m.turn++
	touched := m.caused
	m.caused = false
	for i := range m.slots {
		m.slots[i].before = m.slots[i].now
	}
	for i := range step.Changes {
		for _, program := range m.spec.byKind[step.Changes[i].Ref.Kind] {
			touched = m.evaluate(program) || touched
		}
	}
	if touched {
		m.update(step.At, step)
	}
}

// evaluate evaluates a program once a turn; it returns false if there is no need.
func (m *Monitor) evaluate(program int) bool {
	s := &m.slots[program]
	if !s.used || s.turn == m.turn {
		return false
	}
	s.turn = m.turn
	s.now, s.err = m.spec.programs[program].Eval(m.world)
	return true
}

func (m *Monitor) update(at time.Duration, step *engine.Step) {
	for _, s := range m.states {
		s.update(m, at, step)
	}
}

// Finish gives the verdicts, in the order of the file.
func (m *Monitor) Finish(t *engine.Trace) []Result {
	results := make([]Result, 0, len(m.states))
	for _, s := range m.states {
		if m.grace == nil || s.check().Searchable() {
			results = append(results, s.finish(m, t))
		}
	}
	return results
}

// valueLines are the lines of a message that say what a program reads at the
// moment.
func (m *Monitor) valueLines(program int) []string {
	var lines []string
	for _, v := range m.spec.programs[program].Values(m.world) {
		lines = append(lines, "  "+v.String())
	}
	return lines
}

// endLines are valueLines for the end of the run, with the error if the program
// could not even be evaluated. What is absent the values show already.
func (m *Monitor) endLines(program int) []string {
	lines := m.valueLines(program)
	if err := m.slots[program].err; err != nil && (len(lines) == 0 || !isAbsent(err)) {
		lines = append(lines, "  "+err.Error())
	}
	if len(lines) > 0 {
		lines = append([]string{"at the end of the run:"}, lines...)
	}
	return lines
}

func (c *compiled) holds(at time.Duration, message string) Result {
	return Result{Name: c.Name, OK: true, Message: message, At: at, Pos: c.Pos}
}

func (c *compiled) fails(at time.Duration, lines ...string) Result {
	return Result{Name: c.Name, Message: joinLines(lines...), At: at, Pos: c.Pos}
}
