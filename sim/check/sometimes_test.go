package check

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

func TestSometimes(t *testing.T) {
	running := expression(`pod("d/p").status.phase == "Running"`)
	tests := []struct {
		name    string
		phases  []string
		want    verdict
		vacuous bool
	}{
		{"never", []string{"Pending"}, verdict{true, 9 * s, "not true in this order of events"}, true},
		{"there is no such object", nil, verdict{true, 9 * s, "not true in this order of events"}, true},
		{"for a moment", []string{"Pending", "Running", "Failed"}, verdict{true, 2 * s, "true at 2s"}, false},
		{"twice", []string{"Running", "Failed", "Running"}, verdict{true, s, "true at 1s"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Sometimes: &running}).start()
			for i, phase := range test.phases {
				r.pod(s*time.Duration(1+i), phase)
			}
			got := r.finish(9 * s)
			wantVerdict(t, got, test.want)
			if got[0].Vacuous != test.vacuous {
				t.Errorf("vacuous: %v, want %v", got[0].Vacuous, test.vacuous)
			}
		})
	}
}
