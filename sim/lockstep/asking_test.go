package lockstep

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What the engine promised not to act upon is asked about later, or told without
// a question; what it did not promise is asked about at once.
func TestAsking(t *testing.T) {
	const ms = time.Millisecond
	note, request, call := Arrival{Kind: Note, Text: "n"}, Arrival{Kind: Request, Path: "/r"}, Arrival{Kind: Call}
	patient := Turn{Until: time.Second, Lookahead: ms}
	tests := []struct {
		name  string
		turns []Turn  // the answers
		quiet []quiet // after the first question, at 0
		want  []ask   // the frames after that question
		until []time.Duration
	}{
		{"no promise", []Turn{{Until: time.Second}, {}}, []quiet{{ms, []Arrival{note}}}, []ask{{Quiet: []quiet{{ms, []Arrival{note}}}}}, []time.Duration{0}},
		{"nothing arrived", []Turn{patient}, []quiet{{Now: 0}}, nil, []time.Duration{time.Second}},
		{"a request", []Turn{patient, {}}, []quiet{{0, []Arrival{note, request}}, {Now: ms}},
			[]ask{{Quiet: []quiet{{0, []Arrival{note, request}}, {Now: ms}}}}, []time.Duration{ms, 0}},
		{"a note after a request", []Turn{patient, {}}, []quiet{{0, []Arrival{request}}, {ms / 2, []Arrival{note}}, {Now: ms}},
			[]ask{{Quiet: []quiet{{0, []Arrival{request}}, {ms / 2, []Arrival{note}}, {Now: ms}}}}, []time.Duration{ms, ms, 0}},
		{"a note", []Turn{patient}, []quiet{{ms, []Arrival{note}}}, []ask{{Quiet: []quiet{{ms, []Arrival{note}}}, Tell: true}}, []time.Duration{time.Second}},
		{"a call", []Turn{patient, {}}, []quiet{{0, []Arrival{call}}}, []ask{{Quiet: []quiet{{0, []Arrival{call}}}}}, []time.Duration{0}},
		{"at the instant of the engine", []Turn{patient, {}}, []quiet{{time.Second, []Arrival{note}}}, []ask{{Quiet: []quiet{{time.Second, []Arrival{note}}}}}, []time.Duration{0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var toParent, toChild bytes.Buffer
			parent, e := newWire(&toParent, &toChild), &asking{wire: newWire(&toChild, &toParent), start: time.Unix(0, 0).UTC()}
			for i := range test.turns {
				if err := parent.send(&frame{Turn: &test.turns[i]}); err != nil {
					t.Fatal(err)
				}
			}
			e.Quiesced(0, nil)
			var until []time.Duration
			for _, q := range test.quiet {
				until = append(until, e.Quiesced(q.Now, q.Arrivals).Until)
			}
			if e.err != nil {
				t.Fatal(e.err)
			}
			if diff := cmp.Diff(test.until, until); diff != "" {
				t.Errorf("Until differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, asked(t, parent)[1:], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the frames differ (-want +got):\n%s", diff)
			}
		})
	}
}

// asked reads the questions that are in a pipe, without the start of the run.
func asked(t *testing.T, parent *wire) []ask {
	t.Helper()
	var all []ask
	for {
		f, err := parent.receive()
		if err != nil {
			return all
		}
		f.Ask.Start = time.Time{}
		all = append(all, *f.Ask)
	}
}

// An engine that has had enough of a process is asked, however little it promised
// to do: a process that talks for ever does not go on for ever.
func TestAskingIsBounded(t *testing.T) {
	var toParent, toChild bytes.Buffer
	parent, e := newWire(&toParent, &toChild), &asking{wire: newWire(&toChild, &toParent)}
	for _, turn := range []Turn{{Until: time.Hour, Lookahead: time.Millisecond}, {Done: true}} {
		if err := parent.send(&frame{Turn: &turn}); err != nil {
			t.Fatal(err)
		}
	}
	e.Quiesced(0, nil)
	for i := range mostUnasked + 1 {
		now := time.Duration(i+1) * time.Second
		if turn := e.Quiesced(now, []Arrival{{Kind: Note}}); turn.Done != (i == mostUnasked) {
			t.Fatalf("at quiet point %d Done is %t", i, turn.Done)
		}
	}
}

type quiesced func(now time.Duration, arrivals []Arrival) Turn

func (f quiesced) Quiesced(now time.Duration, arrivals []Arrival) Turn { return f(now, arrivals) }

// The parent's engine sees late quiet points as if each had come in its time, and
// a promise that was not kept ends the run.
func TestSessionDecides(t *testing.T) {
	act := []Action{{Kind: Respond, ID: 1}}
	tests := []struct {
		name  string
		turns []Turn
		asks  []ask
		want  *Turn // the last answer
		calls int
		err   error
	}{
		{"in order", []Turn{{Until: 5}, {Until: 9}, {Until: 7, Actions: act}}, []ask{{Quiet: []quiet{{Now: 1}, {Now: 5}, {Now: 6}}}}, &Turn{Until: 7, Actions: act}, 3, nil},
		{"told", []Turn{{Until: 5}, {Until: 9, Actions: act}}, []ask{{Quiet: []quiet{{Now: 0}}, Tell: true}, {Quiet: []quiet{{Now: 5}}}}, &Turn{Until: 9, Actions: act}, 2, nil},
		{"ended by what was told", []Turn{{Done: true}}, []ask{{Quiet: []quiet{{Now: 0}}, Tell: true}, {Quiet: []quiet{{Now: 5}}}}, &Turn{Done: true}, 1, nil},
		{"ended by what is late", []Turn{{Done: true}}, []ask{{Quiet: []quiet{{Now: 0}, {Now: 5}}}}, &Turn{Done: true}, 1, nil},
		{"acts on what is late", []Turn{{Until: 5, Actions: act}}, []ask{{Quiet: []quiet{{Now: 0}, {Now: 5}}}}, nil, 1, errPromise},
		{"acts on what was told", []Turn{{Until: 5, Actions: act}}, []ask{{Quiet: []quiet{{Now: 0}}, Tell: true}}, nil, 1, errPromise},
		{"asked too late", []Turn{{Until: 5}, {Until: 9}}, []ask{{Quiet: []quiet{{Now: 0}}}, {Quiet: []quiet{{Now: 6}}}}, nil, 1, errForeign},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			calls := 0
			engine := quiesced(func(time.Duration, []Arrival) Turn {
				calls++
				return test.turns[calls-1]
			})
			// The first quiet point of a run is at 0, and these begin there or later.
			s := &session{engine: engine, until: 1, up: map[string]bool{}}
			var got *Turn
			var err error
			for i := range test.asks {
				if got, err = s.decide(&test.asks[i]); err != nil {
					break
				}
			}
			if !errors.Is(err, test.err) || calls != test.calls {
				t.Errorf("%d calls, error %v, want %d and %v", calls, err, test.calls, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the answer differs (-want +got):\n%s", diff)
			}
		})
	}
}
