package standin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestBackoff: kubevirt-behaviour 0.1 and E, "5 ms·2^n, cap 1000 s".
func TestBackoff(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		want time.Duration
	}{
		{"first failure", 1, 5 * time.Millisecond},
		{"second", 2, 10 * time.Millisecond},
		{"eighth", 8, 640 * time.Millisecond},
		{"last below the cap", 18, 655360 * time.Millisecond},
		{"cap", 19, 1000 * time.Second},
		{"far beyond", 500, 1000 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, standin.ItemBackoff.Delay(c.n)); diff != "" {
				t.Errorf("delay (-want +found):\n%s", diff)
			}
		})
	}
}

// record makes a queue that notes when it works on which key.
func record(s *stage.Stage, p *standin.StandIn, o standin.QueueOptions, plan func(key string) standin.Plan) (*standin.Queue, *[]string) {
	var log []string
	o.Kind = "ConfigMap"
	q := p.NewQueue(o, func(key string) standin.Plan {
		log = append(log, s.Engine.Elapsed().String()+" "+key)
		return plan(key)
	})
	return q, &log
}

func nothing(string) standin.Plan { return standin.Plan{} }

func TestQueue(t *testing.T) {
	failures := 0
	for _, c := range []struct {
		name string
		o    standin.QueueOptions
		plan func(key string) standin.Plan
		do   func(s *stage.Stage, q *standin.Queue)
		want []string
	}{
		{"a key is worked on after the latency", standin.QueueOptions{Latency: 10 * time.Millisecond}, nothing,
			func(_ *stage.Stage, q *standin.Queue) { q.Add("a") }, []string{"10ms a"}},
		{"a waiting key is not queued twice", standin.QueueOptions{Latency: 10 * time.Millisecond}, nothing,
			func(_ *stage.Stage, q *standin.Queue) { q.Add("a"); q.Add("a") }, []string{"10ms a"}},
		{"one worker works on one key after the other", standin.QueueOptions{Latency: 10 * time.Millisecond}, nothing,
			func(_ *stage.Stage, q *standin.Queue) { q.Add("b"); q.Add("a") }, []string{"10ms b", "20ms a"}},
		{"two workers work on two keys at once", standin.QueueOptions{Latency: 10 * time.Millisecond, Workers: 2}, nothing,
			func(_ *stage.Stage, q *standin.Queue) { q.Add("b"); q.Add("a") }, []string{"10ms b", "10ms a"}},
		{"the earlier of two delays counts", standin.QueueOptions{}, nothing,
			func(_ *stage.Stage, q *standin.Queue) {
				q.AddAfter("a", 3*time.Second, "late")
				q.AddAfter("a", time.Second, "early")
				q.AddAfter("a", 2*time.Second, "later")
			}, []string{"1s a"}},
		{"no delay is at once", standin.QueueOptions{}, nothing,
			func(_ *stage.Stage, q *standin.Queue) { q.AddAfter("a", 0, "now") }, []string{"0s a"}},
		{"failures back off, success ends it", standin.QueueOptions{},
			func(string) standin.Plan {
				if failures++; failures%4 == 0 {
					return standin.Plan{}
				}
				return standin.Plan{Err: errors.New("not yet")}
			},
			func(s *stage.Stage, q *standin.Queue) {
				q.Add("a")
				s.At(time.Second, "again", func() { q.Add("a") })
			},
			[]string{"0s a", "5ms a", "15ms a", "35ms a", "1s a", "1.005s a", "1.015s a", "1.035s a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := newProcess(t)
			q, log := record(s, p, c.o, c.plan)
			c.do(s, q)
			s.Engine.Advance(time.Minute)
			if diff := cmp.Diff(c.want, *log); diff != "" {
				t.Errorf("work (-want +found):\n%s", diff)
			}
		})
	}
}

// TestQueueAddWhileBusy: a key that is added while it is at work comes back once.
func TestQueueAddWhileBusy(t *testing.T) {
	s, p := newProcess(t)
	s.Load(configMapOne)
	write := p.PatchMerge(configMap, map[string]any{"data": map[string]any{"b": "1"}}, "")
	q, log := record(s, p, standin.QueueOptions{}, func(string) standin.Plan {
		return standin.Plan{Writes: []standin.Write{write}}
	})
	once := true
	write.Then = func(error) {
		if once {
			once = false
			q.Add("a")
			q.Add("a")
		}
	}
	q.Add("a")
	s.Engine.Advance(time.Second)
	if diff := cmp.Diff([]string{"0s a", "1ms a"}, *log); diff != "" {
		t.Errorf("work (-want +found):\n%s", diff)
	}
}

// TestQueueWaitsForCaches: no worker starts before every view has its initial
// state.
func TestQueueWaitsForCaches(t *testing.T) {
	s, p := newProcess(t)
	s.Load(configMapOne)
	q, log := record(s, p, standin.QueueOptions{}, nothing)
	watchConfigMaps(t, p, nil)
	rule := s.Engine.Hold("part", "ConfigMap", "")
	q.Add("a")
	s.At(time.Second, "release", func() { s.Engine.Release(rule) })
	s.Engine.Advance(time.Minute)
	if diff := cmp.Diff([]string{"1s a"}, *log); diff != "" {
		t.Errorf("work (-want +found):\n%s", diff)
	}
}

// TestStop: nothing that a killed process had under way happens.
func TestStop(t *testing.T) {
	s, p := newProcess(t)
	s.Load(configMapOne)
	q, log := record(s, p, standin.QueueOptions{Latency: time.Second}, nothing)
	watchConfigMaps(t, p, func(standin.Event[config]) { t.Error("want no event after the end, found one") })
	q.Add("a")
	q.AddAfter("b", time.Millisecond, "timer")
	p.Run([]standin.Write{p.Delete(configMap, "", nil)}, nil)
	p.Stop()
	p.Stop()
	q.Add("c")
	s.Engine.Advance(time.Minute)
	if len(*log) > 0 || len(s.Steps()) > 0 {
		t.Errorf("want no step, found %v", s.Steps())
	}
	if s.Object("ConfigMap", "default/one") == nil {
		t.Error("want the object still there")
	}
}
