// Package scenario is the language of the stories: its types, and the loader
// that turns a YAML file into them or says where and why it cannot.
//
// It knows the language of expressions and the stories and fixtures that are
// built in. What a story may name (kinds, controllers, stand-ins, settings) it
// is told by a Catalog: it knows neither the engine nor the cluster.
package scenario

import (
	"strconv"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// APIVersion and the kinds of the files.
const (
	APIVersion   = "vmreplay/v1alpha1"
	KindScenario = "Scenario"
	KindFixture  = "Fixture"
)

// Pos is where something stands in a file; lines and columns count from 1.
type Pos struct {
	File         string
	Line, Column int
}

// A Scenario is one story: what is there, what happens, what must hold.
type Scenario struct {
	APIVersion  string
	Kind        string
	Metadata    Metadata
	Description string
	Given       Given
	Controllers []Controller
	Timeline    []Event
	Informers   []InformerClock // informerClock
	// Schedule perturbs single decisions, by name. Names of generated objects
	// depend on the seed, so a scenario with a schedule may fix it.
	Schedule []Perturbation
	Seed     *uint64
	// Grace, if it is not 0, has the run judged as one of a search: what must
	// happen eventually has that long after the last event and the last
	// perturbation, and checks that are about the written schedule are left out.
	Grace time.Duration
	// Until is the length of the run, in virtual time.
	Until    time.Duration
	Expect   []Check
	Verdicts Verdicts

	Pos Pos
}

// Metadata names a scenario. Name equals the file's name without its ending.
type Metadata struct {
	Name   string
	Labels []string
	// Control declares that no variant is expected red.
	Control bool
}

// Given is the world at the start.
type Given struct {
	// Fixtures are names of fixture files, "vmim/two-nodes" for
	// fixtures/vmim/two-nodes.yaml.
	Fixtures []string
	// Objects are all objects, those of the fixtures first, as decoded JSON
	// (numbers int64 or float64), in order.
	Objects []Object
	// StandIns are the parts of the cluster that play along, by name.
	StandIns []string
	// Settings change what the stand-ins and the gate do by default; the keys
	// are those of the catalog, the values still text.
	Settings []Setting
}

// An Object is one Kubernetes object, or one row of the OVN northbound database.
type Object struct {
	Content map[string]any
	Pos     Pos
	// Fields are the positions of its fields by their paths, for At.
	Fields map[string]Pos `json:"-"`
}

// A Setting is one key and its value.
type Setting struct {
	Key, Value string
	Pos        Pos
}

// A Controller is one process that runs code under test.
type Controller struct {
	Name string // the process name: "kube-ovn-controller"
	Type string // "vmim"
	// Lease is the key of the Lease by which the replicas elect a leader; empty
	// for those that do not. Only the leader works.
	Lease string
	Pos   Pos
}

// An Instant is a point in virtual time: an offset from the run's start, or the
// moment at which the timeline's event of that name happened.
type Instant struct {
	Offset time.Duration
	Event  string
	Pos    Pos
}

// An Event is one thing that a user, or the script, does.
// Exactly one of At, When, Once says when, and exactly one action says what.
type Event struct {
	Name  string // for others to refer to; optional
	At    *time.Duration
	When  *Expr  // the first time that the expression is true
	Once  string // when the event of that name has happened
	After time.Duration

	// The actions. All happen at that instant, without latency.
	Apply    *Object // create, or replace what is there (status included)
	Patch    *Patch
	Delete   *Delete
	Bind     *Bind
	Cordon   string // node name; sets spec.unschedulable
	Uncordon string
	Evict    *Delete // a pod, as the eviction API deletes it
	Crash    string  // process of a controller or stand-in: it ends at once and stays down
	Restart  string  // the same: it ends at once and starts with an empty cache
	Mark     bool    // nothing happens; the name marks an instant

	Pos Pos
}

// A Patch is a JSON merge patch (RFC 7386) of one object.
type Patch struct {
	Kind, Name  string // Name is "namespace/name" or "name"
	Subresource string // "status" or empty
	Merge       map[string]any
	Pos         Pos
}

// A Delete deletes one object by its name, or all that a selector finds. A pod
// that KubeVirt made has a generated name, which depends on the seed.
type Delete struct {
	Kind, Name  string // Name is "namespace/name" or "name"; empty with Selector
	Selector    string // a label selector: "kubevirt.io/migrationJobUID=migration-1"
	GracePeriod *time.Duration
	// Propagation is Background, Foreground or Orphan, or empty: then the server
	// decides. The last two wait for the garbage collector.
	Propagation string
	Pos         Pos
}

// A Bind binds a pod to a node, as kube-scheduler does.
type Bind struct {
	Pod, Node string
	Pos       Pos
}

// An InformerClock slows or stops one informer: the watch of one process for
// one kind. With Object set, the watch is slowed or stopped only by events of
// that object (later events of the same watch wait behind them: a watch never
// reorders). Exactly one of Lag and Hold is set.
type InformerClock struct {
	Process string
	Kind    string
	Object  string
	Lag     *time.Duration // latency of a delivery, instead of the default
	Hold    *Hold
	Pos     Pos
}

// A Perturbation changes one decision of the run.
type Perturbation struct {
	engine.Perturbation
	// Variants restricts the perturbation to these; empty means all. A decision
	// that only some variants make can be perturbed in their runs only.
	Variants []string
	Pos      Pos
}

// A Hold stops deliveries from an instant until an instant, or to the end.
type Hold struct {
	From  Instant
	Until *Instant
}

// A Check is one thing that must hold. Exactly one kind of check is set.
type Check struct {
	Name string
	// Written says that the check is about the schedule that is written down: a
	// search for others leaves it out.
	Written bool
	// Variants restricts the check to these; empty means all.
	Variants []string

	Eventually *Eventually
	Always     *Expr // at every write
	Never      *Expr // at every write
	Stays      *Stays
	Backoff    *Backoff
	Rate       *Rate
	Quiet      *Quiet
	// LeaderOnly is the key of a Lease: of the processes that elect a leader by
	// it, only the one that holds it changes anything.
	LeaderOnly string
	// Sometimes is true in some run of a search, or the search reports that it
	// never was. No run fails by it.
	Sometimes *Expr

	Pos Pos
}

// Searchable says that the check makes sense for every order of events. Exact
// times and numbers do not.
func (c *Check) Searchable() bool {
	return !c.Written && c.Backoff == nil && c.Rate == nil && c.Quiet == nil
}

// Eventually holds if the expression is true at some moment from the cause on,
// and at the latest Within after it.
type Eventually struct {
	Expr   Expr
	Within time.Duration
	// Of is the cause; nil means the start of the run. OfWhen is a cause given
	// as an expression instead: the first moment at which it is true.
	Of     *Instant
	OfWhen *Expr
	// Lasting demands that it is still true at the end of the run, and has been
	// so since before the deadline.
	Lasting bool
}

// Stays holds if the expression, once true, stays true for the given time, or
// to the end of the run if For is 0. It fails if the expression is never true.
type Stays struct {
	Expr Expr
	For  time.Duration
}

// Backoff demands exact times between the attempts of one key: the delay from
// the end of an attempt to the start of the next.
type Backoff struct {
	Process string
	Queue   string
	Key     string
	// The delays are First, First*Factor, ... up to Cap.
	First  time.Duration
	Factor int
	Cap    time.Duration
	// Attempts is how many attempts there must be; 0 means at least two.
	Attempts int
}

// Rate allows at most AtMost requests that match within any window Per.
// Empty fields match everything.
type Rate struct {
	Process string
	Verb    string // an API verb, or "write" for create, update, patch and delete
	Kind    string
	Object  string
	AtMost  int
	Per     time.Duration
}

// Quiet demands that no process (or the given one) writes from an instant on.
type Quiet struct {
	Process string
	From    Instant
}

// An Expr is a CEL expression and where it stands.
type Expr struct {
	Source string
	Pos    Pos
}

// Verdicts say which variants are expected green, and which red by which
// checks. Every variant of the controllers is named exactly once.
type Verdicts struct {
	Green []string
	Red   []Red
	Pos   Pos
}

// Red expects one variant to fail exactly these checks.
type Red struct {
	Variant string
	Checks  []string
	Pos     Pos
}

// A Catalog is what exists outside the file: the loader checks names against it.
type Catalog struct {
	Controllers map[string][]string // type -> variants
	Kinds       map[string]Kind
	StandIns    []string
	// Processes are the process names of stand-ins that are called otherwise
	// in given: "scheduler" runs as "kube-scheduler".
	Processes map[string]string
	// Killable are the processes of stand-ins that can crash and start again.
	Killable []string
	Settings map[string]func(value string) error // key -> is the value right?
}

// A Kind of object.
type Kind struct {
	// Kind is what objects call it, if that is not its name in the catalog: two
	// groups may have kinds of one name.
	Kind       string
	APIVersion string
	Namespaced bool
	// Func is its name in expressions: "vmim".
	Func string
}

// FrontEnds is the setting that says how many API front-ends there are. One is
// never behind itself.
const FrontEnds = "kube-apiserver.replicas"

// FrontEnds is how many API front-ends the scenario declares.
func (g *Given) FrontEnds() int {
	for _, s := range g.Settings {
		if n, err := strconv.Atoi(s.Value); s.Key == FrontEnds && err == nil {
			return n
		}
	}
	return 1
}
