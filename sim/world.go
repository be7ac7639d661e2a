package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A World is one simulated cluster with everything that happens in it. It is
// what a run's engine drives; it knows nothing of the bubble.
type World struct {
	Story   *Story
	Variant string
	API     API
	Engine  *engine.Engine

	state   State
	cluster *cluster.Cluster
	monitor *check.Monitor
	script  *script
	bound   time.Duration // of a search; 0 otherwise
}

// wall is the engine's clock for the API server, which exists before the engine.
type wall struct{ engine *engine.Engine }

func (w *wall) Elapsed() time.Duration { return w.engine.Elapsed() }
func (w *wall) Wall() time.Time        { return w.engine.Wall() }

// NewWorld builds a world as the story gives it, at the instant start of the
// processes' clocks. An error is the story's: an object that the API server
// refuses, a stand-in that cannot be built.
func NewWorld(story *Story, variant string, start time.Time, o Options) (*World, error) {
	w := &World{Story: story, Variant: variant, bound: o.Bound}
	clock := &wall{}
	w.API, w.state = o.server(clock)
	w.Engine = engine.New(engine.Config{
		Seed: o.Seed, Start: start, End: story.Until + horizon(story, variant, o), Server: w.API,
		Call: w.call, Local: w.local, Observe: w.observe,
		Schedule: slices.Concat(story.schedule(variant), o.Schedule), Kill: w.kill, Steal: w.steal, Exited: w.exited,
		Exchanges: o.Exchanges, Latency: o.Latency,
	})
	clock.engine = w.Engine
	w.API.Observe(w.Engine.Committed)
	for _, o := range story.Given.Objects {
		if _, err := w.API.Load(o.Content); err != nil {
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
func (w *World) start(process string) { w.startAfter(process, 0) }

func (w *World) startAfter(process string, after time.Duration) {
	w.Engine.After(engine.Point{Process: process, Verb: engine.VerbStart}, after, func() engine.Outcome {
		w.Engine.StartProcess(process)
		return engine.Outcome{Text: "ok"}
	})
}

// stop ends a process, of a controller or a stand-in.
func (w *World) stop(process string) error {
	if !w.isController(process) {
		return w.cluster.Crash(process)
	}
	w.Engine.StopProcess(process)
	return nil
}

// kill ends a process, and starts it again after some time.
func (w *World) kill(process string, restart time.Duration) error {
	if err := w.stop(process); err != nil {
		return err
	}
	if w.isController(process) {
		w.startAfter(process, restart)
		return nil
	}
	w.Engine.After(engine.Point{Process: process, Verb: engine.VerbStart}, restart, func() engine.Outcome {
		if err := w.cluster.Restart(process); err != nil {
			return engine.Outcome{Text: err.Error()}
		}
		return engine.Outcome{Text: "ok"}
	})
	return nil
}

func (w *World) isController(process string) bool {
	return slices.ContainsFunc(w.Story.Controllers, func(c scenario.Controller) bool { return c.Name == process })
}

// healed is when the last thing happened that was done to the cluster.
func (w *World) healed() time.Duration {
	return max(w.script.last, w.Engine.Healed())
}

// Object implements expr.World.
func (w *World) Object(kind, key string) map[string]any {
	o, err := w.state.Get(engine.ParseKey(kind, key))
	if err != nil {
		return nil
	}
	return o.Content()
}

// Objects implements expr.World.
func (w *World) Objects(kind string) []map[string]any {
	list := w.state.List(kind, "")
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
