package lockstep

import "testing"

// The watchdog names the controller's function, not that of the standard library
// which it called.
func TestOwnFrame(t *testing.T) {
	tests := []struct{ name, stack, want string }{
		{"a socket", "goroutine 12 [IO wait]:\ninternal/poll.(*FD).Accept(0xc0)\n\t/go/fd.go:1\nnet.(*netFD).accept(0xc0)\n\t/go/net.go:1\nnet.(*TCPListener).Accept(0xc0)\nexample.org/a/b.Serve(0x1)\n\t/b.go:1", "example.org/a/b.Serve"},
		{"a method", "goroutine 1 [sleep]:\ntime.Sleep(0x1)\nexample.org/b.(*T).run(0xc0, 0x1)\n", "example.org/b.(*T).run"},
		{"a module that is called almost as a library", "goroutine 1 [select]:\nnet.example/ctl.Chan(...)\n", "net.example/ctl.Chan"},
		{"a client", "goroutine 1 [select]:\ngithub.com/vmreplay/vmreplay/sim/lockstep.(*exchange).wait(0x1)\nnet/http.send(0x1)\nk8s.io/client-go/rest.(*Request).Do(0x1)\nmain.get(0x1)\n", "main.get"},
		{"nothing of its own", "goroutine 1 [select]:\ntime.Sleep(0x1)\ncreated by example.org/b.f in goroutine 1\n", "a goroutine"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ownFrame(test.stack); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
