package standin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

type config struct{ name, team, a string }

func readConfig(r engine.Revision) *config {
	c := r.Content()
	return &config{r.Ref().Name, standin.String(c, "metadata", "labels", "team"), standin.String(c, "data", "a")}
}

func watchConfigMaps(t *testing.T, p *standin.StandIn, handle func(standin.Event[config])) *standin.View[config] {
	t.Helper()
	v, err := standin.Watch(p, "ConfigMap", apiserver.WatchOptions{}, readConfig, handle)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestView(t *testing.T) {
	s, p := newProcess(t)
	s.Load(configMapTwo)
	var events []string
	v := watchConfigMaps(t, p, func(ev standin.Event[config]) {
		events = append(events, fmt.Sprintf("%s %s %v -> %v", s.Engine.Elapsed(), ev.Key, ev.Old, ev.New))
	})
	v.Index("team", func(c *config) string { return c.team })
	s.At(time.Second, "create", func() { s.Load(configMapOne) })
	s.At(2*time.Second, "move", func() { s.Patch("ConfigMap", "default/one", "", `metadata: {labels: {team: blue}}`) })
	s.At(3*time.Second, "delete", func() { s.Delete("ConfigMap", "default/two") })

	var teams []string
	look := func() {
		var red, blue, all []string
		for _, c := range v.By("team", "red") {
			red = append(red, c.name)
		}
		for _, c := range v.By("team", "blue") {
			blue = append(blue, c.name)
		}
		for _, c := range v.List() {
			all = append(all, c.name)
		}
		teams = append(teams, fmt.Sprintf("%s all=%s red=%s blue=%s", s.Engine.Elapsed(),
			strings.Join(all, ","), strings.Join(red, ","), strings.Join(blue, ",")))
	}
	for _, at := range []time.Duration{1001, 1002, 2002, 3002} {
		s.Engine.Advance(at * time.Millisecond)
		look()
	}
	wantTeams := []string{
		"1.001s all=two red= blue=two", // not delivered yet
		"1.002s all=one,two red=one blue=two",
		"2.002s all=one,two red= blue=one,two",
		"3.002s all=one red= blue=one",
	}
	if diff := cmp.Diff(wantTeams, teams); diff != "" {
		t.Errorf("views (-want +found):\n%s", diff)
	}
	wantEvents := []string{
		"2ms default/two <nil> -> &{two blue 2}",
		"1.002s default/one <nil> -> &{one red 1}",
		"2.002s default/one &{one red 1} -> &{one blue 1}",
		"3.002s default/two &{two blue 2} -> <nil>",
	}
	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("events (-want +found):\n%s", diff)
	}
	if v.Get("default/two") != nil || v.Get("default/one") == nil {
		t.Error("want default/one only")
	}
}

// TestViewIndexLater: an index that is made when there are objects holds them.
func TestViewIndexLater(t *testing.T) {
	s, p := newProcess(t)
	s.Load(configMapOne + "\n---\n" + configMapTwo)
	v := watchConfigMaps(t, p, nil)
	s.Engine.Advance(time.Second)
	v.Index("team", func(c *config) string { return c.team })
	if got := v.By("team", "red"); len(got) != 1 || got[0].name != "one" {
		t.Errorf("want one, found %v", got)
	}
	if got := v.By("team", "green"); len(got) != 0 {
		t.Errorf("want nothing, found %v", got)
	}
}

func TestWatchUnknownKind(t *testing.T) {
	_, p := newProcess(t)
	if _, err := standin.Watch(p, "Unicorn", apiserver.WatchOptions{}, readConfig, nil); err == nil {
		t.Error("want an error for a kind that is not served")
	}
}
