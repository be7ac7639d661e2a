package lockstep

import "time"

// ArrivalKind says what happened in the bubble.
type ArrivalKind string

const (
	// Request is an API request that waits for an answer.
	Request ArrivalKind = "request"
	// Cancel says that the client of an earlier request, or of its stream, gave up.
	Cancel ArrivalKind = "cancel"
	// Call is a call to something that is not Kubernetes; it waits for an answer.
	Call ArrivalKind = "call"
	// Note is a remark of the process: a log line, a queue operation. Nobody waits.
	Note ArrivalKind = "note"
	// Exit says that a process' program returned; Text holds its error, if any.
	Exit ArrivalKind = "exit"
	// Panic says that a process panicked; Text holds the value and the stack.
	Panic ArrivalKind = "panic"
)

// SourceLog is the source of the notes that are log lines.
const SourceLog = "log"

// An Arrival is one thing that happened in the bubble between two quiet points.
// It holds plain data only, so that it can also travel as a frame over a pipe.
type Arrival struct {
	Kind    ArrivalKind
	Process string

	// ID names the exchange of a Request, Cancel or Call. Lockstep counts
	// exchanges up from 1 in sorted order, so IDs are the same in every run.
	ID uint64

	// Of a Request. Path includes the query. Header holds the few fields that
	// change an answer, under their canonical names.
	Method string
	Path   string
	Header map[string]string
	Body   []byte

	// Of a Call.
	System string
	Op     string
	Args   []string

	// Of a Note: its source (a queue's name, "log"), what happened there (Op,
	// above), the key that it happened to and the text. Text also serves Exit
	// and Panic.
	Source string
	Key    string
	Text   string
}

// ActionKind says what lockstep is to do.
type ActionKind string

const (
	// Respond answers a Request, or a Call, in full.
	Respond ActionKind = "respond"
	// Open answers a Request with a header and a body that stays open.
	Open ActionKind = "open"
	// Send appends bytes to an open body.
	Send ActionKind = "send"
	// End closes an open body, with Error as the reader's error if it is set.
	End ActionKind = "end"
	// Fail ends a Request or Call with a transport error.
	Fail ActionKind = "fail"
	// Start starts a process.
	Start ActionKind = "start"
	// Stop kills a process: its context ends and its connections break at once.
	Stop ActionKind = "stop"
)

// An Action is one thing that the engine wants done in the bubble.
type Action struct {
	Kind    ActionKind
	ID      uint64 // of the exchange
	Status  int    // HTTP status of Respond and Open
	Header  map[string]string
	Body    []byte
	Error   string
	Process string   // of Start and Stop
	Args    []string // of Start
}

// A Turn is the engine's answer to a quiet point.
type Turn struct {
	// Actions are carried out in order. Before the next quiet point at most one
	// of them may wake a client.
	Actions []Action
	// Until is the instant, since the start of the run, at which the engine
	// wants to be asked again if nothing arrives before.
	Until time.Duration
	// Lookahead, if it is not 0, is a promise: before Until the engine does nothing
	// because of notes, and because of a request nothing sooner than Lookahead after
	// it arrived. It may then hear of such quiet points late, several at a time, with
	// the instants at which they were.
	Lookahead time.Duration
	// Done ends the run.
	Done bool
}

// An Engine decides what happens next. Its only method is called by one
// goroutine, and only when everything else in the bubble waits.
type Engine interface {
	// Quiesced takes the virtual time since the start of the run and what
	// arrived since the last call, sorted and numbered.
	Quiesced(now time.Duration, arrivals []Arrival) Turn
}
