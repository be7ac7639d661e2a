# A controller that stops virtual time, or ends: the run says why, within seconds
# of real time, and the command ends.

setup() {
  load helpers
  load gate
  small
}

# behaving BODY: the small controller does this, and then waits for its end.
behaving() {
  cat >"$work/binding_test.go" <<END
package ctl

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

var (
	_ = net.Listen
	_ sync.Mutex
	_ = time.Sleep

	outside = make(chan int)
)

func TestSmall(t *testing.T) {
	lockstep.Serve(t, map[string]lockstep.Program{"small": run})
}

func run(ctx context.Context, env *lockstep.Env) error {
	$1
	<-ctx.Done()
	return nil
}
END
  vmreplay run --tree "$work/tree" --package ./ctl --binding "$work/binding_test.go" "$work/scenarios/source.yaml" --verbose
}

# watchdog WORD...: the run has no verdict, and the words say why.
watchdog() {
  local word
  assert_exit 3
  for word in "$@"; do assert_output --partial "$word"; done
}

@test "a sleep with a lock held" {
  behaving 'var mu sync.Mutex; mu.Lock(); go func() { mu.Lock(); mu.Unlock() }(); time.Sleep(time.Second); mu.Unlock()'
  watchdog 'waits for a lock' 'whose holder sleeps' small.example/ctl
}

@test "a channel that was made outside" {
  behaving '<-outside'
  watchdog 'a channel that was made outside of the bubble' small.example/ctl.run
}

@test "a socket" {
  behaving 'l, err := net.Listen("tcp", "127.0.0.1:0"); if err != nil { return err }; l.Accept()'
  watchdog 'small.example/ctl.run waits for the network'
}

@test "a panic in a goroutine of its own ends the run with its words" {
  behaving 'go func() { panic("boom") }(); time.Sleep(time.Second)'
  assert_exit 1
  assert_output --partial 'no-panic'
  assert_output --partial 'panic: boom'
}

@test "a goroutine that stays is a leak" {
  behaving 'go func() { select {} }()'
  assert_exit 1
  assert_output --partial 'no-leak'
}

@test "a process that ends is told from one that runs" {
  behaving 'return context.Canceled'
  assert_exit 1
  assert_output --partial 'ended by itself'
}
