package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/controllers/vmim"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// vmimSubject binds Kube-OVN's migration handler to a process' environment.
func vmimSubject() Subject {
	s := Subject{Type: "vmim", Run: runVMIM}
	for _, v := range vmim.Variants() {
		s.Variants = append(s.Variants, string(v))
	}
	return s
}

func runVMIM(ctx context.Context, env *lockstep.Env, variant string) error {
	c, err := vmim.New(RESTConfig(env), ovnClient{env}, vmim.Options{
		Variant: vmim.Variant(variant),
		Logger:  Logger(env),
		NewQueue: func(name string) workqueue.TypedRateLimitingInterface[string] {
			return Queue(env, name)
		},
	})
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// RESTConfig is what a process in the simulation builds its clients from. It
// takes client-go's process-wide habits out of the way, if that is not done yet:
// a child process makes no runs of its own.
func RESTConfig(env *lockstep.Env) *rest.Config {
	quiet()
	return &rest.Config{
		Host:      "http://" + env.Process() + ".invalid",
		Transport: env.Transport(),
		UserAgent: env.Process(),
		QPS:       -1, // the gate is the only thing that slows requests down
	}
}

// ovnClient is the controller's client of the OVN northbound database.
type ovnClient struct{ env *lockstep.Env }

func (c ovnClient) ListLogicalSwitchPorts(ctx context.Context, externalIDs map[string]string) ([]vmim.LogicalSwitchPort, error) {
	var args []string
	for _, k := range slices.Sorted(maps.Keys(externalIDs)) {
		args = append(args, k+"="+externalIDs[k])
	}
	answer, err := c.env.Call(ctx, ovn.System, ovn.OpList, args...)
	if err != nil {
		return nil, err
	}
	var rows []ovn.Row
	if err := json.Unmarshal(answer, &rows); err != nil {
		return nil, fmt.Errorf("answer of %s %s: %w", ovn.System, ovn.OpList, err)
	}
	ports := make([]vmim.LogicalSwitchPort, 0, len(rows))
	for _, r := range rows {
		ports = append(ports, vmim.LogicalSwitchPort{Name: r.Name, ExternalIDs: r.ExternalIDs, Options: r.Options})
	}
	return ports, nil
}

func (c ovnClient) SetMigrateOptions(ctx context.Context, port, source, target string) error {
	_, err := c.env.Call(ctx, ovn.System, ovn.OpSetMigrateOptions, port, source, target)
	return err
}

func (c ovnClient) ResetMigrateOptions(ctx context.Context, port, chassis string) error {
	_, err := c.env.Call(ctx, ovn.System, ovn.OpResetMigrateOptions, port, chassis)
	return err
}

func (c ovnClient) CleanMigrateOptions(ctx context.Context, port string) error {
	_, err := c.env.Call(ctx, ovn.System, ovn.OpCleanMigrateOptions, port)
	return err
}
