package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/kubelet"
	"github.com/vmreplay/vmreplay/sim/cluster/scheduler"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
	"github.com/vmreplay/vmreplay/sim/cluster/virthandler"
)

// options are all settings, parsed.
type options struct {
	scheduler  scheduler.Options
	kubelet    kubelet.Options
	controller virtcontroller.Options
	handler    virthandler.Options
	// gatesReadiness says that CNI ADD waits for OVN.
	gatesReadiness bool
}

func defaults() *options {
	return &options{
		scheduler: scheduler.Options{Latency: scheduler.DefaultLatency},
		kubelet:   kubelet.Options{StartLatency: kubelet.DefaultStartLatency, StopLatency: kubelet.DefaultStopLatency},
		controller: virtcontroller.Options{
			Latency:    virtcontroller.DefaultLatency,
			PerCluster: virtcontroller.DefaultPerCluster,
			PerNode:    virtcontroller.DefaultPerNode,
		},
		handler: virthandler.Options{
			Latency:  virthandler.DefaultLatency,
			Prepare:  virthandler.DefaultPrepare,
			Transfer: virthandler.DefaultTransfer,
		},
		gatesReadiness: true,
	}
}

// A setter parses a value into the options.
type setter func(o *options, value string) error

// catalog are the settings of all stand-ins.
var catalog = map[string]setter{
	// How long kube-scheduler takes for one attempt.
	"scheduler.latency": duration(func(o *options) *time.Duration { return &o.scheduler.Latency }),
	// How long a kubelet takes from a pod's network to its running containers.
	"kubelet.startLatency": duration(func(o *options) *time.Duration { return &o.kubelet.StartLatency }),
	// How long containers take to end after SIGTERM.
	"kubelet.stopLatency": duration(func(o *options) *time.Duration { return &o.kubelet.StopLatency }),
	// Whether the network of a VM's pod waits for its port: false is a pod that
	// gets ready without OVN, as with a secondary interface (kubevirt-behaviour K3).
	"network.gatesReadiness": boolean(func(o *options) *bool { return &o.gatesReadiness }),
	// How long virt-controller takes from an event to the first write.
	"virt-controller.latency": duration(func(o *options) *time.Duration { return &o.controller.Latency }),
	// Migrations that may be under way at a time.
	"virt-controller.parallelMigrationsPerCluster":      count(func(o *options) *int { return &o.controller.PerCluster }),
	"virt-controller.parallelOutboundMigrationsPerNode": count(func(o *options) *int { return &o.controller.PerNode }),
	// How long virt-handler takes from an event to its write.
	"virt-handler.latency": duration(func(o *options) *time.Duration { return &o.handler.Latency }),
	// How long a migration's target prepares, and how long the data phase takes.
	"virt-handler.prepare":  duration(func(o *options) *time.Duration { return &o.handler.Prepare }),
	"virt-handler.transfer": duration(func(o *options) *time.Duration { return &o.handler.Transfer }),
}

// Settings are the keys that New understands, each with a function that says what
// is wrong with a value, or nil.
func Settings() map[string]func(value string) error {
	out := make(map[string]func(string) error, len(catalog))
	for key, set := range catalog {
		out[key] = func(value string) error { return set(defaults(), value) }
	}
	return out
}

// parse reads the settings that are of the catalog.
func parse(settings map[string]string) (*options, error) {
	o := defaults()
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		set, ok := catalog[key]
		if !ok {
			continue
		}
		if err := set(o, settings[key]); err != nil {
			return nil, fmt.Errorf("setting %s: %w", key, err)
		}
	}
	return o, nil
}

func duration(field func(*options) *time.Duration) setter {
	return func(o *options, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return fmt.Errorf("want a duration of at least 0 such as 500ms or 2s, found %q", value)
		}
		*field(o) = d
		return nil
	}
}

func boolean(field func(*options) *bool) setter {
	return func(o *options, value string) error {
		switch value {
		case "true", "false":
			*field(o) = value == "true"
			return nil
		}
		return fmt.Errorf("want true or false, found %q", value)
	}
}

func count(field func(*options) *int) setter {
	return func(o *options, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("want a whole number of at least 1, found %q", value)
		}
		*field(o) = n
		return nil
	}
}
