package sim

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// A World is one simulated cluster with everything that happens in it. It is
// what a run's engine drives; it knows nothing of the bubble.
type World struct {
	Story   *Story
	Variant string
	API     *apiserver.Server
	Engine  *engine.Engine

	cluster *cluster.Cluster
	monitor *check.Monitor
	script  *script
}

// wall is the engine's clock for the API server, which exists before the engine.
type wall struct{ engine *engine.Engine }

func (w *wall) Elapsed() time.Duration { return w.engine.Elapsed() }
func (w *wall) Wall() time.Time        { return w.engine.Wall() }

// NewWorld builds a world as the story gives it, at the instant start of the
// processes' clocks. An error is the story's: an object that the API server
// refuses, a stand-in that cannot be built.
func NewWorld(story *Story, variant string, seed uint64, start time.Time) (*World, error) {
	w := &World{Story: story, Variant: variant}
	clock := &wall{}
	w.API = apiserver.New(apiserver.Options{Clock: clock, Seed: seed, Resources: resources()})
	w.Engine = engine.New(engine.Config{
		Seed: seed, Start: start, End: story.Until, Server: w.API,
		Call: w.call, Local: w.local, Observe: w.observe,
	})
	clock.engine = w.Engine
	w.API.Observe(w.Engine.Committed)
	for _, o := range story.Given.Objects {
		if _, err := w.API.Load(runtime.DeepCopyJSON(o.Content)); err != nil {
			return nil, fmt.Errorf("%s:%d:%d: the object cannot be loaded: %w", o.Pos.File, o.Pos.Line, o.Pos.Column, err)
		}
	}
	settings := make(map[string]string, len(story.Given.Settings))
	for _, s := range story.Given.Settings {
		settings[s.Key] = s.Value
	}
	var err error
	host := standin.Host{Gate: w.Engine, API: w.API}
	if w.cluster, err = cluster.New(host, story.Given.StandIns, settings); err != nil {
		return nil, fmt.Errorf("%s: %w", story.Metadata.Name, err)
	}
	w.monitor = story.spec.Monitor(variant, w)
	w.script = newScript(w)
	for _, c := range story.Controllers {
		w.start(c.Name)
	}
	w.monitor.Start()
	w.script.start()
	return w, nil
}

// Quiesced implements lockstep.Engine.
func (w *World) Quiesced(now time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
	return w.Engine.Quiesced(now, arrivals)
}

// start starts a controller's process at the present instant.
func (w *World) start(process string) {
	w.Engine.After(engine.Point{Process: process, Verb: engine.VerbStart}, 0, func() engine.Outcome {
		w.Engine.StartProcess(process)
		return engine.Outcome{Text: "ok"}
	})
}

// Object implements expr.World.
func (w *World) Object(kind, key string) map[string]any {
	o, err := w.API.Get(engine.ParseKey(kind, key))
	if err != nil {
		return nil
	}
	return o.Content()
}

// Objects implements expr.World.
func (w *World) Objects(kind string) []map[string]any {
	list := w.API.List(kind, "")
	out := make([]map[string]any, 0, len(list))
	for _, o := range list {
		out = append(out, o.Content())
	}
	return out
}

func (w *World) call(_, system, op string, args []string) ([]byte, error) {
	return w.cluster.Call(system, op, args)
}

func (w *World) local(system, op string) bool { return w.cluster.IsRead(system, op) }

// observe is called after every step.
func (w *World) observe(step *engine.Step) {
	w.monitor.Observe(step)
	w.script.observe(step)
}
