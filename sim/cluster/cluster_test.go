package cluster_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		name     string
		names    []string
		settings map[string]string
		want     string
	}{
		{"unknown stand-in", []string{"kublet"}, nil, `no stand-in "kublet": there are garbage-collector, kubelet, ovn, pod-gc, scheduler, virt-controller, virt-handler`},
		{"wrong value", nil, map[string]string{"scheduler.latency": "fast"},
			`setting scheduler.latency: want a duration of at least 0 such as 500ms or 2s, found "fast"`},
		{"the first wrong value by name", nil, map[string]string{"virt-handler.transfer": "x", "kubelet.startLatency": "-1s"},
			`setting kubelet.startLatency: want a duration of at least 0 such as 500ms or 2s, found "-1s"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := cluster.New(stage.New(t).Host(), c.names, c.settings)
			if err == nil {
				t.Fatal("want an error, found none")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("error (-want +found):\n%s", diff)
			}
		})
	}
}

// TestNewWithoutKinds: every stand-in that watches kinds needs them to be served.
func TestNewWithoutKinds(t *testing.T) {
	watching := slices.DeleteFunc(cluster.Names(), func(name string) bool { return name == cluster.Garbage })
	for _, name := range watching {
		s := stage.New(t)
		s.API = apiserver.New(apiserver.Options{Resources: []apiserver.Resource{}})
		_, err := cluster.New(s.Host(), []string{name}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "stand-in "+name+": ") {
			t.Errorf("%s: want an error that names it, found %v", name, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		key   string
		right []string
		wrong []string
	}{
		{"kube-apiserver.replicas", []string{"1", "2"}, []string{"0", "two"}},
		{"scheduler.latency", []string{"0s", "5ms"}, []string{"", "5", "-1s"}},
		{"kubelet.startLatency", []string{"2s"}, []string{"soon"}},
		{"kubelet.stopLatency", []string{"2s"}, []string{"soon"}},
		{"network.gatesReadiness", []string{"true", "false"}, []string{"", "yes", "1"}},
		{"kubevirt.flavour", []string{"fork", "stock"}, []string{"", "Fork", "deckhouse"}},
		{"kubevirt.version", []string{"v1.6.2", "head"}, []string{"", "v1.6"}},
		{"kubevirt.vmRolloutStrategy", []string{"LiveUpdate", "Stage"}, []string{"", "stage"}},
		{"pod-gc.offset", []string{"0s", "19.999s"}, []string{"", "-1s", "20s"}},
		{"virt-controller.latency", []string{"10ms"}, []string{"x"}},
		{"virt-controller.parallelMigrationsPerCluster", []string{"1", "5"}, []string{"0", "many", "1.5"}},
		{"virt-controller.parallelOutboundMigrationsPerNode", []string{"2"}, []string{"-1"}},
		{"virt-handler.latency", []string{"1ms"}, []string{"x"}},
		{"virt-handler.start", []string{"1s"}, []string{"x"}},
		{"virt-handler.shutdown", []string{"1s"}, []string{"x"}},
		{"virt-handler.prepare", []string{"500ms"}, []string{"x"}},
		{"virt-handler.transfer", []string{"2m"}, []string{"x"}},
	} {
		t.Run(c.key, func(t *testing.T) {
			check := cluster.Settings()[c.key]
			if check == nil {
				t.Fatal("want the setting in the catalog")
			}
			for _, value := range c.right {
				if err := check(value); err != nil {
					t.Errorf("%q: want it right, found %v", value, err)
				}
			}
			for _, value := range c.wrong {
				if check(value) == nil {
					t.Errorf("%q: want an error, found none", value)
				}
			}
		})
	}
	for _, d := range cluster.Describe() {
		if err := cluster.Settings()[d.Key](d.Default); err != nil || d.About == "" {
			t.Errorf("%s: want a default that is right, and a description, found %q (%v) and %q", d.Key, d.Default, err, d.About)
		}
	}
	if n := len(cluster.Settings()); n != 17 {
		t.Errorf("want every setting tested, found %d in the catalog", n)
	}
}

// TestCall: the database of OVN answers in every run, with or without stand-ins.
func TestCall(t *testing.T) {
	s := stage.New(t)
	s.Load(machine)
	c, err := cluster.New(s.Host(), nil, map[string]string{"deliver.latency": "of somebody else"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(ovn.System, ovn.OpSetMigrateOptions, []string{thePort, "node-a", "node-b"}); err != nil {
		t.Fatal(err)
	}
	if got := standin.String(s.Object(ovn.Kind, thePort), "options", "requested-chassis"); got != "node-a,node-b" {
		t.Errorf("want the options set, found %q", got)
	}
	if _, err := c.Call("ipam", "get", nil); err == nil || err.Error() != `no system "ipam": there is ovn-nb` {
		t.Errorf("want an error that names the systems, found %v", err)
	}
	for _, op := range []string{ovn.OpList, ovn.OpSetMigrateOptions} {
		if got, want := c.IsRead(ovn.System, op), op == ovn.OpList; got != want {
			t.Errorf("%s: want read=%v, found %v", op, want, got)
		}
	}
	if c.IsRead("ipam", ovn.OpList) {
		t.Error("want reads of other systems to take time")
	}
	s.Engine.Advance(time.Minute)
	if steps := s.Steps(); len(steps) > 0 {
		t.Errorf("want no step without stand-ins, found %v", steps)
	}
}

func TestProcesses(t *testing.T) {
	want := map[string]string{"scheduler": "kube-scheduler", "kubelet": "kubelet", "ovn": "ovn-controller", "pod-gc": "kube-controller-manager",
		"garbage-collector": "garbage-collector",
		"virt-controller":   "virt-controller", "virt-handler": "virt-handler"}
	if diff := cmp.Diff(want, cluster.Processes()); diff != "" {
		t.Errorf("processes (-want +found):\n%s", diff)
	}
}

func TestCrashErrors(t *testing.T) {
	w := newWorld(t, nil)
	for _, process := range []string{"kubelet", "ovn-controller", "kube-ovn-controller"} {
		for _, kill := range []func(string) error{w.cluster.Crash, w.cluster.Restart} {
			err := kill(process)
			if err == nil || !strings.HasSuffix(err.Error(), "in this run there are kube-scheduler, virt-controller, virt-handler, kube-controller-manager, garbage-collector") {
				t.Errorf("%s: want an error that names those that can be killed, found %v", process, err)
			}
		}
	}
}

// TestStop: a cluster that is stopped does nothing more.
func TestStop(t *testing.T) {
	w := newWorld(t, nil)
	w.createMigration(time.Second, "migration", nil)
	w.Engine.Advance(1500 * time.Millisecond)
	w.cluster.Stop()
	before := len(w.Steps())
	w.Engine.Advance(time.Hour)
	if after := len(w.Steps()); after != before {
		t.Errorf("want no step after the end, found %v", w.Steps()[before:])
	}
}

// TestOrderOfNames: a run does not depend on how its stand-ins are listed.
func TestOrderOfNames(t *testing.T) {
	run := func(names []string) uint64 {
		s := stage.New(t)
		s.Load(twoNodes + "---" + machine)
		if _, err := cluster.New(s.Host(), names, nil); err != nil {
			t.Fatal(err)
		}
		s.Engine.Advance(time.Minute)
		return s.Engine.Trace().Hash
	}
	a := run([]string{"scheduler", "kubelet", "ovn", "virt-controller", "virt-handler"})
	b := run([]string{"virt-handler", "ovn", "virt-controller", "kubelet", "scheduler"})
	if a != b {
		t.Errorf("want the same trace, found the hashes %x and %x", a, b)
	}
}
