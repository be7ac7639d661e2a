// Package record turns the trace of a run into what a timeline draws: lanes,
// points on them, attempts, waits, and what led to what. It knows traces, checks
// and expressions; it does not know how a run is made, nor how a record is drawn.
//
// A record is plain data and goes to JSON as it is. All times are virtual, in
// microseconds since the start of the run.
package record
