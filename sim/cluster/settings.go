package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/kubelet"
	"github.com/vmreplay/vmreplay/sim/cluster/podgc"
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
	collector  podgc.Options
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
			Start:    virthandler.DefaultStart,
			Shutdown: virthandler.DefaultShutdown,
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
	// Deckhouse's fork of KubeVirt, or KubeVirt as released (kubevirt-behaviour B.6).
	"kubevirt.flavour": either("fork", "stock", func(o *options) *bool { return &o.controller.Stock }),
	// The version of KubeVirt, as far as machines and instances go: the one that the
	// fork was made from, or a newer one (kubevirt-behaviour 0.3, B.1).
	"kubevirt.version": either("v1.6.2", "head", func(o *options) *bool { return &o.controller.Head }),
	// What becomes of a changed template: it is carried over to a running instance
	// where that is possible, or waits for the next start (kubevirt-behaviour B.1).
	"kubevirt.vmRolloutStrategy": either("LiveUpdate", "Stage", func(o *options) *bool { return &o.controller.Stage }),
	// When the pod garbage collector looks first; then it does every 20 s.
	"pod-gc.offset": within(20*time.Second, duration(func(o *options) *time.Duration { return &o.collector.Offset })),
	// How long virt-controller takes from an event to the first write.
	"virt-controller.latency": duration(func(o *options) *time.Duration { return &o.controller.Latency }),
	// Migrations that may be under way at a time.
	"virt-controller.parallelMigrationsPerCluster":      count(func(o *options) *int { return &o.controller.PerCluster }),
	"virt-controller.parallelOutboundMigrationsPerNode": count(func(o *options) *int { return &o.controller.PerNode }),
	// How long virt-handler takes from an event to its write.
	"virt-handler.latency": duration(func(o *options) *time.Duration { return &o.handler.Latency }),
	// How long a domain takes to start, and how long its guest to shut down.
	"virt-handler.start":    duration(func(o *options) *time.Duration { return &o.handler.Start }),
	"virt-handler.shutdown": duration(func(o *options) *time.Duration { return &o.handler.Shutdown }),
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

// within refuses a duration that is not less than a limit.
func within(limit time.Duration, set setter) setter {
	return func(o *options, value string) error {
		if d, err := time.ParseDuration(value); err == nil && d >= limit {
			return fmt.Errorf("want a duration of less than %s, found %q", limit, value)
		}
		return set(o, value)
	}
}

// either is a choice between two words, of which the second sets the field.
func either(off, on string, field func(*options) *bool) setter {
	return func(o *options, value string) error {
		switch value {
		case off, on:
			*field(o) = value == on
			return nil
		}
		return fmt.Errorf("want %s or %s, found %q", off, on, value)
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
