package apiserver

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// testClock is a clock that tests move by hand.
type testClock struct{ elapsed time.Duration }

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func (c *testClock) Elapsed() time.Duration { return c.elapsed }

// Wall is half a second off, so that truncation shows.
func (c *testClock) Wall() time.Time { return epoch.Add(c.elapsed + 500*time.Millisecond) }

func newTestServer(t testing.TB) (*Server, *testClock) {
	t.Helper()
	clock := &testClock{}
	return New(Options{Clock: clock, Seed: 1}), clock
}

func clientConfig(s *Server) *rest.Config {
	return &rest.Config{Host: "http://simulated", Transport: s.Transport(), QPS: -1}
}

// object decodes YAML into content.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	content, err := decodeObject(data)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// do serves one request with a JSON body.
func do(s *Server, method, path, body string) *engine.Response {
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json"}
	if method == "PATCH" {
		header["Content-Type"] = "application/merge-patch+json"
	}
	return s.Serve(&engine.Request{Process: "test", Method: method, Path: path, Header: header, Body: []byte(body)})
}

func mustCreate(t testing.TB, s *Server, text string) *Object {
	t.Helper()
	o, err := s.Create(object(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// collect opens a watch and gives a function that takes the lines so far, short:
// "ADDED default/a 5".
func collect(w engine.Watch) (lines func() []string) {
	var got []string
	w.Open(func(e engine.Event) { got = append(got, shorten(e)) })
	return func() []string {
		taken := got
		got = nil
		return taken
	}
}

func shorten(e engine.Event) string {
	line := e.Type
	if e.Revision != nil {
		line += " " + e.Revision.Ref().Key() + " " + text(child(e.Revision.Content(), "metadata"), "resourceVersion")
	}
	return strings.Join(strings.Fields(line), " ")
}
