package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A Spec is the compiled checks of one scenario. It does not change, so runs and
// goroutines share it.
type Spec struct {
	replicas map[string][]string // processes that elect a leader, by lease
	checks   []compiled
	programs []*expr.Program  // each expression once, however many checks use it
	byKind   map[string][]int // kind -> programs that read it
	events   []string         // timeline events that checks refer to
	limiters []Limiter        // what the back-off checks say of the queues
}

// A compiled check knows its expressions and events by index.
type compiled struct {
	*scenario.Check
	expr  int // of the condition, or -1
	when  int // of the cause given as an expression, or -1
	event int // of the cause or start given as an event, or -1
}

func (c *compiled) check() *scenario.Check { return c.Check }

// Compile compiles the checks of a scenario. The error names the place of the
// expression that is wrong; within an expression, lines and columns count from
// its start.
func Compile(s *scenario.Scenario, env *expr.Env) (*Spec, error) {
	b := builder{
		env:  env,
		spec: &Spec{byKind: map[string][]int{}, replicas: replicasOf(s)},
		seen: map[string]int{},
	}
	for i := range s.Expect {
		c, err := b.check(&s.Expect[i])
		if err != nil {
			return nil, err
		}
		b.spec.checks = append(b.spec.checks, c)
	}
	return b.spec, nil
}

type builder struct {
	env  *expr.Env
	spec *Spec
	seen map[string]int // source -> program
}

var errNoCheck = errors.New("expected one kind of check (eventually, always, never, stays, backoff, rate, quiet, leaderOnly, sometimes), found none")

func (b *builder) check(check *scenario.Check) (compiled, error) {
	c := compiled{Check: check, expr: -1, when: -1, event: -1}
	condition, when, instant := parts(check)
	var err error
	if c.expr, err = b.program(condition); err != nil {
		return c, fmt.Errorf("%w (in check %q)", err, check.Name)
	}
	if c.when, err = b.program(when); err != nil {
		return c, fmt.Errorf("%w (in the cause of check %q)", err, check.Name)
	}
	if instant != nil && instant.Event != "" {
		c.event = b.event(instant.Event)
	}
	if f := check.Backoff; f != nil {
		b.spec.limiters = append(b.spec.limiters, limiterOf(f))
	} else if condition == nil && check.Rate == nil && check.Quiet == nil && check.LeaderOnly == "" {
		return c, fmt.Errorf("%s: check %q: %w", place(check.Pos), check.Name, errNoCheck)
	}
	return c, nil
}

// parts are what a check refers to: its condition, its cause as an expression,
// and its cause or start as an instant.
func parts(c *scenario.Check) (condition, when *scenario.Expr, instant *scenario.Instant) {
	switch {
	case c.Eventually != nil:
		return &c.Eventually.Expr, c.Eventually.OfWhen, c.Eventually.Of
	case c.Always != nil:
		return c.Always, nil, nil
	case c.Never != nil:
		return c.Never, nil, nil
	case c.Stays != nil:
		return &c.Stays.Expr, nil, nil
	case c.Sometimes != nil:
		return c.Sometimes, nil, nil
	case c.Quiet != nil:
		return nil, nil, &c.Quiet.From
	}
	return nil, nil, nil
}

func (b *builder) program(e *scenario.Expr) (int, error) {
	if e == nil {
		return -1, nil
	}
	if i, ok := b.seen[e.Source]; ok {
		return i, nil
	}
	p, err := b.env.Compile(e.Source)
	if err != nil {
		return -1, fmt.Errorf("%s: expression %w", place(e.Pos), err)
	}
	i := len(b.spec.programs)
	b.seen[e.Source] = i
	b.spec.programs = append(b.spec.programs, p)
	for _, kind := range p.Kinds() {
		b.spec.byKind[kind] = append(b.spec.byKind[kind], i)
	}
	return i, nil
}

func (b *builder) event(name string) int {
	if i := slices.Index(b.spec.events, name); i >= 0 {
		return i
	}
	b.spec.events = append(b.spec.events, name)
	return len(b.spec.events) - 1
}

func place(p scenario.Pos) string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }
