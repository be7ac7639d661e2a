package engine

import "time"

// Clock is the virtual time as in-engine parts see it.
type Clock interface {
	// Elapsed is the time since the run's start.
	Elapsed() time.Duration
	// Wall is the same instant as the processes' clocks show it.
	Wall() time.Time
}
