package lockstep

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A child has the settings of vmreplay itself, unless the user has others.
func TestChildEnv(t *testing.T) {
	const debug = "randseednop=0,asynctimerchan=0"
	tests := []struct {
		name      string
		env, want []string
	}{
		{"nothing set", []string{"A=1"}, []string{"A=1", "GOGC=400", "GOMAXPROCS=1", "GODEBUG=" + debug, "VMREPLAY_CHILD=1"}},
		{"set", []string{"GOGC=50", "GOMAXPROCS=3"}, []string{"GOGC=50", "GOMAXPROCS=3", "GODEBUG=" + debug, "VMREPLAY_CHILD=1"}},
		{"empty", []string{"GOGC=", "GODEBUG="}, []string{"GOGC=", "GODEBUG=", "GOGC=400", "GOMAXPROCS=1", "GODEBUG=" + debug, "VMREPLAY_CHILD=1"}},
		{"debug", []string{"GODEBUG=a=1"}, []string{"GODEBUG=a=1", "GOGC=400", "GOMAXPROCS=1", "GODEBUG=a=1," + debug, "VMREPLAY_CHILD=1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, childEnv(test.env)); diff != "" {
				t.Errorf("the environment differs (-want +got):\n%s", diff)
			}
		})
	}
}
