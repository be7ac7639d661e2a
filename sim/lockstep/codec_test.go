package lockstep

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// fill draws a value for every field, also for those that are added some day: a
// field that the codec forgets makes a difference.
func fill(t *rapid.T, v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(0, rapid.Int64().Draw(t, "time")).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "text")))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "number"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 3).Draw(t, "length"), 3))
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 3).Draw(t, "size") {
			name, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, name)
			fill(t, value)
			v.SetMapIndex(name, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("a frame has a field of kind %s: teach this test, and the codec, about it", v.Kind())
	}
}

// anyFrame draws a frame of any kind: one field of it is set.
func anyFrame(t *rapid.T) *frame {
	f := new(frame)
	fields := reflect.ValueOf(f).Elem()
	field := fields.Field(rapid.IntRange(0, fields.NumField()-1).Draw(t, "kind"))
	if field.Kind() == reflect.Bool {
		field.SetBool(true)
		return f
	}
	fill(t, field)
	return f
}

// What is sent is what is received, whatever the frame, and frame by frame.
func TestFramesTravelUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pipe bytes.Buffer
		c := newWire(&pipe, &pipe)
		frames := rapid.SliceOfN(rapid.Custom(anyFrame), 1, 4).Draw(t, "frames")
		for _, f := range frames {
			if err := c.send(f); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range frames {
			got, err := c.receive()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the frame was changed (-sent +received):\n%s", diff)
			}
		}
	})
}

// A body that is received can be appended to without harm to its neighbour.
func TestBodiesDoNotShareTheirEnds(t *testing.T) {
	sent := &frame{Ask: &ask{Quiet: []quiet{{Arrivals: []Arrival{{Body: []byte("one")}, {Body: []byte("two")}}}}}}
	got, err := parseFrame(appendFrame(nil, sent))
	if err != nil {
		t.Fatal(err)
	}
	_ = append(got.Ask.Quiet[0].Arrivals[0].Body, "and much more"...)
	if diff := cmp.Diff(sent.Ask.Quiet[0].Arrivals[1].Body, got.Ask.Quiet[0].Arrivals[1].Body); diff != "" {
		t.Errorf("the second body (-want +got):\n%s", diff)
	}
}

// Every frame that is cut, or has a byte changed, is refused.
func TestFramesThatWereHarmed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pipe bytes.Buffer
		if err := newWire(nil, &pipe).send(anyFrame(t)); err != nil {
			t.Fatal(err)
		}
		sent := pipe.Bytes()
		at := rapid.IntRange(0, len(sent)-1).Draw(t, "at")
		if f, err := newWire(bytes.NewReader(sent[:at]), nil).receive(); err == nil {
			t.Fatalf("cut after %d of %d bytes: received %+v", at, len(sent), f)
		}
		sent[at] ^= rapid.ByteRange(1, 255).Draw(t, "change")
		if f, err := newWire(bytes.NewReader(sent), nil).receive(); err == nil {
			t.Fatalf("byte %d changed: received %+v", at, f)
		}
	})
}

// Whatever comes through the pipe, reading it ends with a frame or an error, and
// what was read is written as it was.
func FuzzParseFrame(f *testing.F) {
	for _, seed := range []*frame{
		{Hello: &hello{Protocol: protocol, Programs: []string{"p"}}},
		{Begin: &begin{Horizon: time.Minute, Seed: 7}},
		{Ask: &ask{Start: time.Unix(1, 2), Quiet: []quiet{{Now: 1, Arrivals: []Arrival{{Kind: Request, Header: map[string]string{"Accept": "x"}, Body: []byte("{}")}}}, {Now: 2}}, Tell: true}},
		{Alive: true},
		{Turn: &Turn{Actions: []Action{{Kind: Send, ID: 3, Body: []byte("x")}}, Done: true}},
		{End: &Report{Leaks: []string{"a goroutine"}}},
	} {
		f.Add(appendFrame(nil, seed))
	}
	f.Add([]byte{'a', 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}) // more arrivals than there are bytes
	f.Fuzz(func(t *testing.T, b []byte) {
		parsed, err := parseFrame(b)
		if err != nil {
			return
		}
		again, err := parseFrame(appendFrame(nil, parsed))
		if diff := cmp.Diff(parsed, again); err != nil || diff != "" {
			t.Errorf("error %v, the frame was changed (-read +written and read):\n%s", err, diff)
		}
	})
}
