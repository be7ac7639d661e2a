package engine

import "time"

// Config is everything that a run depends on besides the programs.
type Config struct {
	Seed uint64
	// Start is the processes' clock at the start of the run.
	Start time.Time
	// End is the length of the run.
	End     time.Duration
	Latency Latency
	Limits  Limits
	Server  Server
	// Call answers calls to systems that are not Kubernetes. It may be nil.
	Call func(process, system, op string, args []string) ([]byte, error)
	// Local tells calls that the client answers from its own memory; they take
	// no time. It may be nil.
	Local func(system, op string) bool
	// Observe is called after every step, in order. It may be nil.
	Observe func(*Step)
	// Exchanges keeps the wording of requests and answers in the trace. It keeps
	// them in memory, so only runs that are to be looked at want it.
	Exchanges bool
	// Schedule perturbs single decisions.
	Schedule []Perturbation
	// Kill ends a process, whether it runs in the bubble or is a stand-in, and
	// starts it again after some time. It may be nil.
	Kill func(process string, restart time.Duration) error
	// Exited is told of a process that ended by itself, and its error. It may be nil.
	Exited func(process, text string)
	// Steal hands the lease that a process leads by to the next replica. It fails
	// if the process leads nothing. It may be nil.
	Steal func(process string) error
}

// Latency is how long things take in virtual time. A server that answers in no
// time makes loops of microseconds look like storms (DESIGN 3.11).
type Latency struct {
	Request time.Duration // default 1 ms
	Deliver time.Duration // default 2 ms
	Call    time.Duration // default 1 ms
}

// Limits end a run that would not end well by itself.
type Limits struct {
	// Steps is how many decisions a run may take; default 20,000.
	Steps int
	// PerKey is how many requests of one name may be granted within one second, and
	// how often a key may be taken from its queue in one without any; default 300.
	PerKey int
	// Notes is how many remarks of its processes the trace keeps; default 500,000.
	Notes int
}

func (c *Config) setDefaults() {
	setDefault(&c.Latency.Request, time.Millisecond)
	setDefault(&c.Latency.Deliver, 2*time.Millisecond)
	setDefault(&c.Latency.Call, time.Millisecond)
	setDefault(&c.Limits.Steps, 20_000)
	setDefault(&c.Limits.PerKey, 300)
	setDefault(&c.Limits.Notes, 500_000)
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
