package sim

import (
	"cmp"
	"strings"
	"sync"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// resources are all kinds of object that a run can hold.
var resources = sync.OnceValue(func() []apiserver.Resource {
	all := append(apiserver.Builtin(), apiserver.KubeVirt()...)
	all = append(all, deckhouse()...)
	return append(all, ovn.Resource())
})

// funcs are the names of kinds in expressions where they are not the kind in
// lower case.
var funcs = map[string]string{
	"Namespace":                       "ns", // CEL reserves "namespace"
	"VirtualMachine":                  "vm",
	"VirtualMachineInstance":          "vmi",
	"VirtualMachineInstanceMigration": "vmim",
	deckhouseVM:                       "dvm",
	"VirtualMachineClass":             "dvmclass",
	ovn.Kind:                          "port",
}

// Catalog is what scenarios may name: controllers, kinds, stand-ins, settings.
var Catalog = sync.OnceValue(func() scenario.Catalog {
	c := scenario.Catalog{
		Controllers: map[string][]string{},
		Kinds:       map[string]scenario.Kind{},
		StandIns:    cluster.Names(),
		Settings:    cluster.Settings(),
		Processes:   cluster.Processes(),
		Killable:    cluster.Killable(),
	}
	for _, s := range Subjects() {
		c.Controllers[s.Type] = s.Variants
	}
	c.Controllers[TypeTree] = nil
	for _, r := range resources() {
		apiVersion := r.Version
		if r.Group != "" {
			apiVersion = r.Group + "/" + r.Version
		}
		name := cmp.Or(r.Key, r.Kind)
		fn := cmp.Or(funcs[name], strings.ToLower(r.Kind))
		c.Kinds[name] = scenario.Kind{Kind: r.Kind, APIVersion: apiVersion, Namespaced: r.Namespaced, Func: fn}
	}
	return c
})

// Conditions compiles the expressions of scenarios.
var Conditions = sync.OnceValue(func() *expr.Env {
	var kinds []expr.Kind
	for name, k := range Catalog().Kinds {
		kinds = append(kinds, expr.Kind{Name: name, Func: k.Func, Namespaced: k.Namespaced})
	}
	env, err := expr.NewEnv(kinds)
	if err != nil {
		panic("sim: the kinds of the catalog cannot be declared: " + err.Error())
	}
	return env
})
