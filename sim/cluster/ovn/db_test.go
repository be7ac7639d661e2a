package ovn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

const twoPorts = `
apiVersion: ovn.vmreplay/v1
kind: LogicalSwitchPort
metadata: {name: vm.default}
externalIDs: {pod: default/vm, ls: ovn-default}
chassis: node-a
---
apiVersion: ovn.vmreplay/v1
kind: LogicalSwitchPort
metadata: {name: other.default}
externalIDs: {pod: default/other, ls: ovn-default}
options: {requested-chassis: node-c, arp_proxy: "true"}
`

const vmRow = `[{"name":"vm.default","externalIDs":{"ls":"ovn-default","pod":"default/vm"},"chassis":"node-a"}]`

// TestCall: kubevirt-behaviour D.9 says what each operation does to a port.
func TestCall(t *testing.T) {
	type call struct {
		op   string
		args []string
	}
	set := call{ovn.OpSetMigrateOptions, []string{"vm.default", "node-a", "node-b"}}
	for _, c := range []struct {
		name    string
		calls   []call
		options map[string]any // of vm.default afterwards
		answer  string         // of the last call
		err     string         // of the last call
		writes  uint64
	}{
		{name: "list by external id", calls: []call{{ovn.OpList, []string{"pod=default/vm"}}}, answer: vmRow},
		{name: "list by two external ids", calls: []call{{ovn.OpList, []string{"ls=ovn-default", "pod=default/vm"}}}, answer: vmRow},
		{name: "list of nothing", calls: []call{{ovn.OpList, []string{"pod=default/none"}}}, answer: "[]"},
		{name: "list without a value", calls: []call{{ovn.OpList, []string{"pod"}}}, err: `ovn-nb list: want external ids as key=value, found "pod"`},
		{name: "set", calls: []call{set}, writes: 1,
			options: map[string]any{"requested-chassis": "node-a,node-b", "activation-strategy": "rarp"}},
		{name: "set twice writes once", calls: []call{set, set}, writes: 1,
			options: map[string]any{"requested-chassis": "node-a,node-b", "activation-strategy": "rarp"}},
		{name: "reset to the target", calls: []call{set, {ovn.OpResetMigrateOptions, []string{"vm.default", "node-b"}}}, writes: 2,
			options: map[string]any{"requested-chassis": "node-b"}},
		{name: "reset of what was never set", calls: []call{{ovn.OpResetMigrateOptions, []string{"vm.default", "node-b"}}}},
		{name: "clean", calls: []call{set, {ovn.OpCleanMigrateOptions, []string{"vm.default"}}}, writes: 2, options: map[string]any{}},
		{name: "clean of what was never set", calls: []call{{ovn.OpCleanMigrateOptions, []string{"vm.default"}}}},
		{name: "unknown port", calls: []call{{ovn.OpCleanMigrateOptions, []string{"none"}}},
			err: `ovn-nb clean-migrate-options none: no logical switch port "none": the database has other.default, vm.default`},
		{name: "unknown operation", calls: []call{{"drop", nil}}, err: `ovn-nb: no operation "drop": want list, set-migrate-options, reset-migrate-options or clean-migrate-options`},
		{name: "arguments missing", calls: []call{{ovn.OpSetMigrateOptions, []string{"vm.default"}}},
			err: `ovn-nb set-migrate-options: want 3 arguments (port, source, target), found 1: ["vm.default"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stage.New(t)
			s.Load(twoPorts)
			before := s.API.Version()
			db := ovn.NewDB(s.API)
			var answer []byte
			var err error
			for _, one := range c.calls {
				answer, err = db.Call(one.op, one.args)
			}
			if diff := cmp.Diff(c.answer, string(answer)); diff != "" {
				t.Errorf("answer (-want +found):\n%s", diff)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(c.err, text); diff != "" {
				t.Errorf("error (-want +found):\n%s", diff)
			}
			if diff := cmp.Diff(c.options, standin.Map(s.Object(ovn.Kind, "vm.default"), "options")); diff != "" {
				t.Errorf("options (-want +found):\n%s", diff)
			}
			if got := s.API.Version() - before; got != c.writes {
				t.Errorf("want %d writes, found %d", c.writes, got)
			}
		})
	}
}

func TestCallOnEmptyDatabase(t *testing.T) {
	_, err := ovn.NewDB(stage.New(t).API).Call(ovn.OpCleanMigrateOptions, []string{"none"})
	if err == nil || !strings.HasSuffix(err.Error(), "the database has none") {
		t.Errorf("want an error that says that the database has none, found %v", err)
	}
}

func TestIsRead(t *testing.T) {
	for op, want := range map[string]bool{ovn.OpList: true, ovn.OpSetMigrateOptions: false, ovn.OpResetMigrateOptions: false, ovn.OpCleanMigrateOptions: false} {
		if got := ovn.IsRead(op); got != want {
			t.Errorf("%s: want %v, found %v", op, want, got)
		}
	}
}
