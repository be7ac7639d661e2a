// Package stage is where the stand-ins' tests play: an engine without processes,
// an API server, and ways to load objects and to read the trace. Only tests
// import it; it knows no stand-in but the table of OVN's ports.
package stage

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Start is the processes' clock at the start of every run here.
var Start = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// A Change is one commit of the API server.
type Change = engine.Change

// A Stage is one run.
type Stage struct {
	T      testing.TB
	API    *apiserver.Server
	Engine *engine.Engine
}

type clock struct{ engine *engine.Engine }

func (c *clock) Elapsed() time.Duration { return c.engine.Elapsed() }
func (c *clock) Wall() time.Time        { return c.engine.Wall() }

// New makes an empty stage. Single decisions can be delayed by a schedule.
func New(t testing.TB, schedule ...engine.Perturbation) *Stage {
	c := &clock{}
	s := &Stage{T: t}
	s.API = apiserver.New(apiserver.Options{
		Clock: c, Seed: 1,
		Resources: append(append(apiserver.Builtin(), apiserver.KubeVirt()...), ovn.Resource()),
	})
	s.Engine = engine.New(engine.Config{Seed: 1, Start: Start, Server: s.API, Schedule: schedule})
	c.engine = s.Engine
	s.API.Observe(s.Engine.Committed)
	return s
}

// Host is what stand-ins are built on.
func (s *Stage) Host() standin.Host { return standin.Host{Gate: s.Engine, API: s.API} }

// Load stores objects given as YAML documents, with all that they say.
func (s *Stage) Load(documents string) {
	s.T.Helper()
	for _, doc := range strings.Split(documents, "\n---\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		if _, err := s.API.Load(Content(s.T, doc)); err != nil {
			s.T.Fatalf("loading an object: %v\n%s", err, doc)
		}
	}
}

// parsed are the documents that were decoded before: benchmarks are not to
// measure a YAML parser.
var parsed sync.Map

// Content decodes one YAML document the way that the API server keeps it.
func Content(t testing.TB, doc string) map[string]any {
	t.Helper()
	if c, ok := parsed.Load(doc); ok {
		return runtime.DeepCopyJSON(c.(map[string]any))
	}
	content := decode(t, doc)
	parsed.Store(doc, runtime.DeepCopyJSON(content))
	return content
}

func decode(t testing.TB, doc string) map[string]any {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte(doc), &content); err != nil {
		t.Fatalf("a test's object is no YAML: %v\n%s", err, doc)
	}
	return whole(content).(map[string]any)
}

// whole turns the whole floats of a YAML decoder into int64.
func whole(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = whole(e)
		}
	case []any:
		for i, e := range x {
			x[i] = whole(e)
		}
	case float64:
		if x == float64(int64(x)) {
			return int64(x)
		}
	}
	return v
}

// At has f called at an instant of the run, as a step of a timeline.
func (s *Stage) At(at time.Duration, name string, f func()) {
	p := engine.Point{Process: "timeline", Verb: engine.VerbDo, Detail: name}
	s.Engine.After(p, at-s.Engine.Elapsed(), func() engine.Outcome {
		f()
		return engine.Outcome{Text: standin.OK}
	})
}

// Object is an object as it is now; nil if there is none. key is
// "namespace/name", or "name".
func (s *Stage) Object(kind, key string) map[string]any {
	o, err := s.API.Get(engine.ParseKey(kind, key))
	if err != nil {
		return nil
	}
	return o.Content()
}

// Patch merges YAML into an object's endpoint or subresource.
func (s *Stage) Patch(kind, key, subresource, doc string) {
	s.T.Helper()
	content := Content(s.T, doc)
	write := standin.New(s.Host(), "timeline").PatchMerge(engine.ParseKey(kind, key), content, subresource)
	if _, err := write.Do(nil); err != nil {
		s.T.Fatalf("patch of %s %s: %v", kind, key, err)
	}
}

// Delete deletes an object, which must be there.
func (s *Stage) Delete(kind, key string) {
	s.T.Helper()
	write := standin.New(s.Host(), "timeline").Delete(engine.ParseKey(kind, key), "", nil)
	if _, err := write.Do(nil); err != nil {
		s.T.Fatalf("delete of %s %s: %v", kind, key, err)
	}
}

// Watch notes every value that a field of an object takes, with its instant:
// "13ms Pending". An object that is gone, or a field that is not set, is "-".
func (s *Stage) Watch(kind, key string, path ...string) *[]string {
	values, last := &[]string{}, "-"
	s.API.Observe(func(c engine.Change) {
		if c.Ref.Kind != kind || c.Ref.Key() != key {
			return
		}
		value := "-"
		if c.After != nil {
			if v := standin.Field(c.After.Content(), path...); v != nil {
				value = fmt.Sprint(v)
			}
		}
		if value != last {
			last = value
			*values = append(*values, s.Engine.Elapsed().String()+" "+value)
		}
	})
	return values
}

// Steps are the granted decisions whose name contains all parts, each with its
// instant and, where it did not go well, its outcome.
func (s *Stage) Steps(parts ...string) []string {
	return s.steps(func(engine.Point) bool { return true }, parts)
}

// Deeds are the Steps but the deliveries: what was done, not what was heard.
func (s *Stage) Deeds(parts ...string) []string {
	return s.steps(func(p engine.Point) bool { return p.Verb != engine.VerbDeliver }, parts)
}

func (s *Stage) steps(wanted func(engine.Point) bool, parts []string) []string {
	var out []string
	for _, step := range s.Engine.Trace().Steps {
		line := step.At.String() + " " + step.Point.String()
		if step.Outcome != standin.OK && step.Outcome != "delivered" {
			line += " => " + step.Outcome
		}
		if wanted(step.Point) && containsAll(line, parts) {
			out = append(out, line)
		}
	}
	return out
}

func containsAll(s string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}
