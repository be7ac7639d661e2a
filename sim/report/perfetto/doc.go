// Package perfetto writes records as a trace in Chrome's JSON format, which
// ui.perfetto.dev and chrome://tracing open: a process for each process of a run,
// a thread for each informer and each worker of a queue, slices for attempts,
// writes and deliveries, and flow arrows from a write over the delivery to the
// attempt that it led to.
//
// Times are virtual, in microseconds.
package perfetto
