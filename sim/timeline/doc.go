// Package timeline prints the trace of a run as text: one line an event, in
// columns that compare well and serve as goldens. It knows traces, and nothing of
// how they come about, and how reports make texts printable.
package timeline
