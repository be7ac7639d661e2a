package lockstep_test

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

func init() {
	inChild["stops"] = func(context.Context, *lockstep.Env) error { return stop() }
	inChild["stops in the middle of a frame"] = func(context.Context, *lockstep.Env) error {
		// A head, and ten bytes of many; lockstep may still write some into it.
		writeToParent("vmr\x00\x00\x00\x7f\xff\x00\x00\x00\x00ten bytes.")
		return stop()
	}
}

// stop stops this process. The signal goes to the thread that sends it, which
// takes it before it goes on; one to the whole process may wait for another
// thread, and the run could end before it stops.
func stop() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(syscall.Gettid()), uintptr(syscall.SIGSTOP))
	if errno != 0 {
		return errno
	}
	return nil
}

// A child that says no more is killed, and replaced.
func TestStoppedChildren(t *testing.T) {
	tests := []struct {
		program string
		hung    []string
	}{
		{"stops", []string{"it did not answer: it did not end and was killed"}},
		{"stops in the middle of a frame", []string{"it stopped in the middle of a frame, after ", " of 32779 bytes: it did not end and was killed"}},
	}
	for _, test := range tests {
		t.Run(test.program, func(t *testing.T) {
			t.Parallel()
			r, started := remote(t, test.program)
			for range 2 {
				wantAll(t, "hung", play(r, minute()).Hung, test.hung)
			}
			if *started != 2 {
				t.Errorf("%d children were started, want 2", *started)
			}
		})
	}
}
