package lockstep

import (
	"testing"
	"time"
)

// A dozer sleeps once, for a day, and counts the signs of life.
type dozer struct{ signs int }

func (d *dozer) Quiesced(now time.Duration, _ []Arrival) Turn {
	return Turn{Until: 24 * time.Hour, Done: now >= 24*time.Hour}
}

func (d *dozer) asleep() { d.signs++ }

// An engine in another process hears of every hour of a long sleep: a sleep in
// which many timers run takes real time.
func TestLongSleepsShowSignsOfLife(t *testing.T) {
	d := new(dozer)
	rep := Run(t, func(time.Time) Engine { return d }, Options{Horizon: 25 * time.Hour})
	if !rep.Clean() || d.signs != 23 {
		t.Errorf("report %+v, %d signs of life in 24 hours, want one after each hour but the last", rep, d.signs)
	}
}
