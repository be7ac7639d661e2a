package cluster_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// podProtection is the finalizer that Deckhouse puts on every launcher pod
// (kubevirt-behaviour 0.5).
const podProtection = "virtualization.deckhouse.io/pod-protection"

// playDeckhouse does what kubevirt-behaviour B.7 says of Deckhouse's controller
// and the run policy AlwaysOn, without its own delays: it protects launchers, asks
// for a restart of an instance that failed, and lets go of pods that have ended.
func (w *world) playDeckhouse() {
	d := standin.New(w.Host(), "virtualization-controller")
	merge := func(o change, patch map[string]any, subresource string) {
		d.Run([]standin.Write{d.PatchMerge(o.Ref, patch, subresource)}, nil)
	}
	w.API.Observe(func(c change) {
		if c.After == nil {
			return
		}
		content, phaseBefore := c.After.Content(), ""
		if c.Before != nil {
			phaseBefore = standin.String(c.Before.Content(), "status", "phase")
		}
		finalizers, _ := standin.Field(content, "metadata", "finalizers").([]any)
		protected := slices.Contains(finalizers, podProtection)
		ended := facts.Final(standin.String(content, "status", "phase"))
		switch {
		case c.Ref.Kind == facts.KindPod && c.Before == nil:
			merge(c, map[string]any{"metadata": map[string]any{"finalizers": []any{podProtection}}}, "")
		case c.Ref.Kind == facts.KindPod && protected && ended:
			merge(c, map[string]any{"metadata": map[string]any{"finalizers": nil}}, "")
		case c.Ref.Kind == facts.KindVMI && ended && !facts.Final(phaseBefore):
			requests := []any{map[string]any{"action": "Stop", "uid": standin.String(content, "metadata", "uid")}, map[string]any{"action": "Start"}}
			c.Ref.Kind = facts.KindVM
			merge(c, map[string]any{"status": map[string]any{"stateChangeRequests": requests}}, standin.Status)
		}
	})
}

// TestWorkaround: kubevirt-behaviour B.7, KubeVirt's half of it. The template is
// corrected and the pod deleted at 5 s; the pod stays, because it is protected,
// until the pod garbage collector has marked it as failed.
func TestWorkaround(t *testing.T) {
	play := func() (*world, []string) {
		w := newVMWorld(t, nil)
		w.playDeckhouse()
		story := w.chronicle()
		w.create(time.Second, virtualMachine("Manual", "zone: nowhere"))
		started(w, "Manual")
		w.At(5*time.Second, "correct", func() {
			w.place()
			w.Delete(facts.KindPod, w.launcherKey())
		})
		w.Engine.Advance(time.Minute)
		return w, story.lines
	}
	w, lines := play()
	if again, _ := play(); again.Engine.Trace().Hash != w.Engine.Trace().Hash {
		t.Error("want the same trace twice")
	}
	want := []string{
		"1.027s shows Stopped", "1.5s requests Start", "1.514s instance created, zone nowhere", "1.515s shows Starting",
		"1.527s requests none", "1.54s pod created, zone nowhere", "1.542s instance Scheduling", "1.566s shows ErrorUnschedulable",
		"5s pod in deletion",
		"5.013s instance zone -", // in any phase (B.2)
		"5.026s instance Failed", // its first write conflicted with the placement's; ErrorUnschedulable stays
		"5.027s requests Stop, Start",
		"5.039s instance in deletion",
		"20.001s pod Failed", // by the garbage collector
		"20.002s pod gone", "20.014s instance gone", "20.027s requests Start", "20.027s shows Stopped",
		"20.041s instance created, zone -", "20.042s shows Starting", "20.054s requests none",
		"20.067s pod created, zone -", "20.069s instance Scheduling",
		"22.078s pod Running", "22.091s instance Scheduled", "23.096s instance Running", "23.109s shows Running",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("story (-want +found):\n%s", diff)
	}
}

// TestWorkaroundWaits: kubevirt-behaviour B.7, "0…20 s, PodGC": the new instance
// comes 40 ms after the tick, wherever it is; and B.5's run policy Manual, where
// nobody asks for a restart: the instance stays Failed.
func TestWorkaroundWaits(t *testing.T) {
	for _, c := range []struct {
		name, offset string
		deckhouse    bool
		want         string // the instance's last creation
		status       string
	}{
		{"half a second", "5.5s", true, "5.541s Pending", "Running"},
		{"nearly 20 s", "4.9s", true, "24.941s Pending", "Running"},
		{"the tick is at the very instant of the deletion", "5s", true, "25.041s Pending", "Running"},
		{"nobody asks for a restart", "0s", false, "1.514s Pending", "ErrorUnschedulable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := vmStory{machine: virtualMachine("Manual", "zone: nowhere"), settings: map[string]string{"pod-gc.offset": c.offset}}
			s.do = func(w *world) {
				if c.deckhouse {
					w.playDeckhouse()
				}
				started(w, "Manual")
				w.At(5*time.Second, "correct", func() {
					w.place()
					w.Delete(facts.KindPod, w.launcherKey())
				})
			}
			_, statuses, phases := s.run(t)
			created := slices.DeleteFunc(phases, func(p string) bool { return !strings.HasSuffix(p, " Pending") })
			if len(created) == 0 || created[len(created)-1] != c.want || lastOf(statuses) != c.status {
				t.Errorf("want %s and %s, found %v and %v", c.want, c.status, created, statuses)
			}
		})
	}
}
