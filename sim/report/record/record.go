package record

import "encoding/json"

// A Record is one run. Indices refer to the lists of the record itself.
type Record struct {
	End   float64 `json:"end"`
	Lanes []Lane  `json:"lanes"`
	// Steps are in the order in which they were granted, all others by their
	// beginning.
	Steps    []Step    `json:"steps"`
	Notes    []Note    `json:"notes"`
	Attempts []Attempt `json:"attempts"`
	Links    []Link    `json:"links"`
	Keys     []Key     `json:"keys"`
	Checks   []Check   `json:"checks"`
	Values   []Values  `json:"values"`
	// Blobs are the distinct states of objects, and the texts of requests and
	// answers that are JSON, each once.
	Blobs []json.RawMessage `json:"blobs"`
}

// Sorts of lanes.
const (
	LaneStore    = "store"    // the writes of one kind, at the API server
	LaneRequests = "requests" // what a process asks for and does
	LaneInformer = "informer" // what the cache of a process sees of one kind
	LaneQueue    = "queue"    // the work on the keys of one queue
	LaneLog      = "log"      // what a process says
)

// A Lane is one line of the timeline. Lanes of one process stand together.
type Lane struct {
	Process string `json:"process"` // empty for the API server
	Sort    string `json:"sort"`
	Name    string `json:"name,omitempty"` // a kind or a queue
}

// A Step is one granted decision.
type Step struct {
	At      float64  `json:"at"`
	Raised  float64  `json:"raised"` // of a delivery: when the server had it
	Lane    int      `json:"lane"`
	Process string   `json:"process"`
	Verb    string   `json:"verb"`
	Kind    string   `json:"kind,omitempty"`
	Object  string   `json:"object,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	N       int      `json:"n"`
	Outcome string   `json:"outcome"`
	Failed  bool     `json:"failed,omitempty"`
	Version uint64   `json:"version,omitempty"`
	Changes []Change `json:"changes,omitempty"`
	// State is the blob of the object that was delivered or read; -1 if there is
	// none.
	State int `json:"state"`
	// Exchange is there if the wording was kept.
	Exchange *Exchange `json:"exchange,omitempty"`
	// Perturbed says what a schedule did to the step; Held that a lag or a hold
	// of the informer was in force.
	Perturbed string `json:"perturbed,omitempty"`
	Held      bool   `json:"held,omitempty"`
}

// A Change is one write. Before and After are blobs, or -1.
type Change struct {
	Type    string `json:"type"`
	Kind    string `json:"kind"`
	Key     string `json:"key"`
	Lane    int    `json:"lane"`
	Version uint64 `json:"version"`
	Before  int    `json:"before"`
	After   int    `json:"after"`
}

// An Exchange is a request or call, and its answer. Bodies are texts, or blobs
// where they are JSON; -1 if there is none.
type Exchange struct {
	Method string   `json:"method,omitempty"`
	Path   string   `json:"path,omitempty"`
	Args   []string `json:"args,omitempty"`
	Body   int      `json:"body"`
	Answer int      `json:"answer"`
	// Text is the answer where it is no JSON, Cut how many bytes were left out.
	Text string `json:"text,omitempty"`
	Cut  int    `json:"cut,omitempty"`
}

// A Note is what a process said, or did with a queue, between two steps.
type Note struct {
	At      float64 `json:"at"`
	After   int     `json:"after"` // steps that were granted before
	Lane    int     `json:"lane"`
	Process string  `json:"process"`
	Source  string  `json:"source"`
	Op      string  `json:"op"`
	Key     string  `json:"key,omitempty"`
	Text    string  `json:"text,omitempty"`
}

// Results of an attempt.
const (
	Done     = "done"     // and nothing will bring the key back but an event
	Retry    = "retry"    // it goes back by the rate limiter
	Later    = "later"    // it goes back after a time that the handler chose
	Again    = "again"    // it was added again while it was worked on
	Running  = "running"  // the run ended before the attempt did
	Finished = "finished" // the last one of a key in a run that converged
	Dropped  = "dropped"  // the last one of a key in a run that did not
)

// An Attempt is the work on a key from the queue's get to its done.
type Attempt struct {
	Key    int     `json:"key"`
	Number int     `json:"number"` // from 1
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Result string  `json:"result"`
	// Delay is what the back-off put before the attempt, Cap the most it can be;
	// 0 if it was no retry.
	Delay float64 `json:"delay,omitempty"`
	Cap   float64 `json:"cap,omitempty"`
	// The steps between get and done: [first, last).
	FirstStep int `json:"firstStep"`
	LastStep  int `json:"lastStep"`
}

// A Key is one key of one queue.
type Key struct {
	Process string `json:"process"`
	Queue   string `json:"queue"`
	Name    string `json:"name"`
	Lane    int    `json:"lane"`
	Fate    string `json:"fate"`
	Dropped bool   `json:"dropped,omitempty"`
	// Missed are steps: the deliveries after the last attempt of a dropped key
	// that enqueued nothing. The first is the one that should have woken it.
	Missed []int `json:"missed,omitempty"`
}

// Sorts of links.
const (
	LinkWrite = "write" // from the step of a write to the step that delivers it
	LinkWake  = "wake"  // from a delivery to the attempt that it led to
)

// A Link says that one thing led to another: From is a step, To a step or, of a
// wake, an attempt.
type Link struct {
	Sort string `json:"sort"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// A Check is the outcome of one check.
type Check struct {
	Name    string  `json:"name"`
	OK      bool    `json:"ok"`
	At      float64 `json:"at"`
	Message string  `json:"message"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
}

// Values are what the condition of a check read from a step on. Only changes
// are listed; Step is -1 for the start of the run.
type Values struct {
	Step  int      `json:"step"`
	Check string   `json:"check"`
	Holds bool     `json:"holds"`
	Reads []string `json:"reads"` // "port("vm.default").options = absent"
}
