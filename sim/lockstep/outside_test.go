package lockstep

import "testing"

// A nil channel belongs to no bubble; whatever the two variables were, they are
// nil once Serve begins.
func TestForgetOutsideChannels(t *testing.T) {
	neverExitWatch, neverStop = make(chan struct{}), make(chan struct{})
	forgetOutsideChannels()
	if neverExitWatch != nil || neverStop != nil {
		t.Error("a channel from outside is still waited for")
	}
}
