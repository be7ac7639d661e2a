package engine

import "time"

// Types of watch events, as in k8s.io/apimachinery/pkg/watch.
const (
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
	Bookmark = "BOOKMARK"
	Error    = "ERROR"
)

// A Revision is one immutable state of one object.
type Revision interface {
	Ref() Ref
	// Version is the resourceVersion.
	Version() uint64
	// Content is the object as decoded JSON. It is shared: never modify it.
	Content() map[string]any
}

// An Event is one watch event.
type Event struct {
	Type     string
	Revision Revision
	// Previous is the object before a MODIFIED or DELETED, if it is known.
	Previous Revision
	// Frame is the event as a watch sends it over the wire, encoded on demand.
	Frame func() []byte
}

// A Change is one committed write, as observers see it.
type Change struct {
	Type string // Added, Modified or Deleted
	Ref  Ref
	// Before and After are nil where the object did not exist.
	Before, After Revision
}

// A Watch is one open watch at the server. The server pushes events into Sink
// in resourceVersion order; the engine delivers them when their turn comes.
type Watch interface {
	// Open starts the flow: the server calls sink for the initial events at
	// once and for later ones as they are committed.
	Open(sink func(Event))
	// Close ends the flow. It may be called more than once.
	Close()
}

// A Request is one API request as the server sees it.
type Request struct {
	Process string
	Method  string
	Path    string // with query
	Header  map[string]string
	Body    []byte
	// Stale asks for the answer of a front-end that stopped that long ago.
	Stale time.Duration
}

// A Response is the server's answer. Watch is set where the answer is a stream;
// then Body is empty.
type Response struct {
	Status int
	Header map[string]string
	Body   []byte
	Watch  Watch
	// Version is the resourceVersion of the object answered, if there is one.
	Version uint64
	// Stale says that the answer is older than another front-end's would be.
	Stale bool
	// Reason is the machine-readable reason of a failure ("Conflict"), or empty.
	Reason string
}

// A RequestInfo says what a request asks for; the gate names points by it.
type RequestInfo struct {
	Verb        string // get, list, watch, create, update, patch, delete, deletecollection
	Kind        string // "Pod"; "" for discovery
	Namespace   string
	Name        string
	Subresource string // "status", "binding", or ""
}

// A Server answers API requests. It starts no goroutine and never blocks.
type Server interface {
	// Describe parses a request without executing it.
	Describe(*Request) RequestInfo
	// Serve executes a request.
	Serve(*Request) *Response
	// JSON is the body of a request as JSON, whatever it was encoded in.
	JSON(*Request) ([]byte, error)
}
