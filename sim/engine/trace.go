package engine

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// A Step is one granted decision: the line of the trace that says what happened.
type Step struct {
	Point Point
	// Raised is when the request arrived, the event was committed, the timer
	// was set; At is when the engine granted it. Both since the run's start.
	Raised, At time.Duration
	// Outcome is "200", "409 Conflict", "delivered", "ok" or an error's text.
	Outcome string
	// Version is the resourceVersion written, read or delivered; 0 if none.
	Version uint64
	// Changes are the writes that this step committed, in order.
	Changes []Change
	// Revision is the object delivered by a VerbDeliver step; nil otherwise.
	Revision Revision
	// Exchange is what was asked and answered; nil unless Config.Exchanges is set.
	Exchange *Exchange
}

// An Exchange is the wording of a request or a call, and of its answer. The
// bytes are shared: never modify them.
type Exchange struct {
	Method, Path string   // of a request; the path includes the query
	Args         []string // of a call
	Body, Answer []byte
}

// A Note is what a process said of itself between two steps: a queue operation
// or a log line. Notes explain a run; they are no part of its hash.
type Note struct {
	At      time.Duration
	Process string
	Source  string // a queue's name, or "log"
	Op      string // a queue's operation (QueueAdd, ...), or a log level ("info", "warning", "error")
	Key     string // the queue key
	Text    string // log message; error text; delay of add-after
	// After is the number of steps that were granted before the note.
	After int
}

// SourceLog is the source of the notes that are log lines.
const SourceLog = lockstep.SourceLog

// Operations of a work queue in notes.
const (
	QueueAdd         = lockstep.QueueAdd
	QueueGet         = lockstep.QueueGet
	QueueDone        = lockstep.QueueDone
	QueueForget      = lockstep.QueueForget
	QueueRateLimited = lockstep.QueueRateLimited
	QueueAddAfter    = lockstep.QueueAddAfter
)

// A Trace is all that is known of a run.
type Trace struct {
	// Given are the writes before the first step: the objects that the run starts
	// with.
	Given []Change
	Steps []Step
	Notes []Note
	// Hash covers time, point, outcome and resourceVersion of every step.
	Hash uint64
	// End is the virtual time at which the run ended.
	End time.Duration
}
