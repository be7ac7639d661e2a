package ovn_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestChassis: where a port is claimed, and on which chassis it is installed.
func TestChassis(t *testing.T) {
	plug := func(nodes ...string) func(*ovn.Chassis) {
		return func(c *ovn.Chassis) {
			for _, n := range nodes {
				c.Plug("vm.default", n)
			}
		}
	}
	for _, c := range []struct {
		name      string
		port      string // options and chassis of the port
		do        func(c *ovn.Chassis)
		claimed   string
		installed []string
	}{
		{"the first that is plugged claims it", "", plug("node-b", "node-a"), "node-b", []string{"node-b"}},
		{"without a request it stays where it is", "chassis: node-a", plug("node-b", "node-a"), "node-a", []string{"node-a"}},
		{"and the target waits", "chassis: node-a", func(c *ovn.Chassis) { plug("node-a", "node-b")(c) }, "node-a", []string{"node-a"}},
		{"requested on both, installed on both, claimed by the first", "{options: {requested-chassis: 'node-a,node-b'}, chassis: node-a}",
			plug("node-b", "node-a"), "node-a", []string{"node-a", "node-b"}},
		{"requested on the target alone", "{options: {requested-chassis: node-b}, chassis: node-a}",
			plug("node-a", "node-b"), "node-b", []string{"node-b"}},
		{"requested where it is not plugged", "{options: {requested-chassis: node-b}, chassis: node-a}", plug("node-a"), "node-a", nil},
		{"unplugged, the next one takes it", "chassis: node-a", func(c *ovn.Chassis) {
			plug("node-a", "node-b")(c)
			c.Unplug("vm.default", "node-a")
		}, "node-b", []string{"node-b"}},
		{"unplugged everywhere, the row stays", "chassis: node-a", func(c *ovn.Chassis) {
			plug("node-a")(c)
			c.Unplug("vm.default", "node-a")
		}, "node-a", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stage.New(t)
			content := map[string]any{}
			if c.port != "" {
				content = stage.Content(t, c.port)
			}
			content["apiVersion"], content["kind"] = ovn.APIVersion, ovn.Kind
			content["metadata"] = map[string]any{"name": "vm.default"}
			content["externalIDs"] = map[string]any{"pod": "default/vm"}
			if _, err := s.API.Load(content); err != nil {
				t.Fatal(err)
			}
			chassis, err := ovn.NewChassis(s.Host())
			if err != nil {
				t.Fatal(err)
			}
			if chassis.Installed("vm.default", "node-a") {
				t.Error("want nothing installed before anything is seen")
			}
			s.Engine.Advance(time.Second)
			if diff := cmp.Diff([]string{"vm.default"}, chassis.PortsOf("default/vm")); diff != "" {
				t.Errorf("ports (-want +found):\n%s", diff)
			}
			c.do(chassis)
			s.Engine.Advance(2 * time.Second)
			if got := standin.String(s.Object(ovn.Kind, "vm.default"), "chassis"); got != c.claimed {
				t.Errorf("want it claimed by %q, found %q", c.claimed, got)
			}
			var installed []string
			for _, n := range []string{"node-a", "node-b"} {
				if chassis.Installed("vm.default", n) {
					installed = append(installed, n)
				}
			}
			if diff := cmp.Diff(c.installed, installed); diff != "" {
				t.Errorf("installed (-want +found):\n%s", diff)
			}
		})
	}
}

// TestOnChange: a change is told when the ovn-controllers have seen it.
func TestOnChange(t *testing.T) {
	s := stage.New(t)
	s.Load(twoPorts)
	chassis, err := ovn.NewChassis(s.Host())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	chassis.OnChange(func() { told = append(told, fmt.Sprint(s.Engine.Elapsed())) })
	s.At(time.Second, "set", func() {
		if _, err := ovn.NewDB(s.API).Call(ovn.OpSetMigrateOptions, []string{"vm.default", "node-a", "node-b"}); err != nil {
			t.Error(err)
		}
	})
	s.Engine.Advance(time.Minute)
	if diff := cmp.Diff([]string{"2ms", "2ms", "1.002s"}, told); diff != "" {
		t.Errorf("told (-want +found):\n%s", diff)
	}
}
