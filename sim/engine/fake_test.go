package engine_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// revision is an object of a test.
type revision struct {
	ref     engine.Ref
	version uint64
}

func (r revision) Ref() engine.Ref         { return r.ref }
func (r revision) Version() uint64         { return r.version }
func (r revision) Content() map[string]any { return nil }

func pod(name string, version uint64) engine.Event {
	r := revision{engine.ParseKey("Pod", name), version}
	return engine.Event{Type: engine.Added, Revision: r, Frame: func() []byte { return []byte(r.ref.Key()) }}
}

// source is a watch that the test pushes events into.
type source struct {
	sink    func(engine.Event)
	initial []engine.Event
	closed  bool
}

func (s *source) Open(sink func(engine.Event)) {
	s.sink = sink
	for _, ev := range s.initial {
		sink(ev)
	}
}

func (s *source) Close() { s.closed = true }

// server answers GET /<kind>/<name>, and a watch for paths that end in "watch".
type server struct {
	watches []*source
	served  int
}

func (s *server) Describe(r *engine.Request) engine.RequestInfo {
	parts := strings.Split(strings.Trim(r.Path, "/"), "/")
	info := engine.RequestInfo{Verb: strings.ToLower(r.Method), Kind: parts[0]}
	if len(parts) > 1 {
		info.Name = parts[1]
	}
	if info.Name == "watch" {
		info.Verb, info.Name = "watch", ""
	}
	return info
}

func (s *server) Serve(r *engine.Request) *engine.Response {
	s.served++
	if strings.HasSuffix(r.Path, "/watch") {
		w := &source{}
		s.watches = append(s.watches, w)
		return &engine.Response{Status: 200, Watch: w}
	}
	if strings.HasSuffix(r.Path, "/absent") {
		return &engine.Response{Status: 404, Reason: "NotFound"}
	}
	return &engine.Response{Status: 200, Body: []byte(r.Path), Version: uint64(s.served)}
}

func (s *server) JSON(r *engine.Request) ([]byte, error) { return r.Body, nil }

func request(id uint64, process, path string) lockstep.Arrival {
	return lockstep.Arrival{Kind: lockstep.Request, ID: id, Process: process, Method: "GET", Path: path}
}

// drive plays the bubble: it hands arrivals in when their time has come and
// collects what the engine wants done, one line an action.
func drive(e *engine.Engine, arrivals map[time.Duration][]lockstep.Arrival, end time.Duration) []string {
	var log []string
	now := time.Duration(0)
	for range 100_000 {
		turn := e.Quiesced(now, arrivals[now])
		delete(arrivals, now)
		for _, a := range turn.Actions {
			log = append(log, fmt.Sprintf("%v %s %d %s%s%s", now, a.Kind, a.ID, a.Process, a.Body, a.Error))
		}
		if turn.Done {
			return log
		}
		if len(turn.Actions) > 0 {
			continue
		}
		next := min(turn.Until, end)
		for at := range arrivals {
			next = min(next, at)
		}
		now = next
	}
	return append(log, "the engine never ends")
}

func steps(e *engine.Engine) []string {
	var out []string
	for _, s := range e.Trace().Steps {
		out = append(out, fmt.Sprintf("%v %s: %s", s.At, s.Point, s.Outcome))
	}
	return out
}
