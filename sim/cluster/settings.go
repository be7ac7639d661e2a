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
	// apiServers is how many front-ends of the API there are.
	apiServers int
	// gatesReadiness says that CNI ADD waits for OVN.
	gatesReadiness bool
}

func defaults() *options {
	return &options{
		apiServers: 1,
		scheduler:  scheduler.Options{Latency: scheduler.DefaultLatency},
		kubelet:    kubelet.Options{StartLatency: kubelet.DefaultStartLatency, StopLatency: kubelet.DefaultStopLatency},
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

// A setting is something about the stand-ins that a scenario may choose.
type setting struct {
	about string // in one line, for the reference of the language
	set   func(o *options, value string) error
	show  func(o *options) string // as set takes it
}

// catalog are the settings of all stand-ins.
var catalog = map[string]setting{
	// with two, one may be behind the other (scenario.FrontEnds)
	"kube-apiserver.replicas": count("front-ends of the API; with two or more, one may be behind the others",
		func(o *options) *int { return &o.apiServers }),
	"scheduler.latency": duration("how long kube-scheduler takes for one attempt",
		func(o *options) *time.Duration { return &o.scheduler.Latency }),
	"kubelet.startLatency": duration("how long a kubelet takes from a pod's network to its running containers",
		func(o *options) *time.Duration { return &o.kubelet.StartLatency }),
	"kubelet.stopLatency": duration("how long containers take to end after SIGTERM",
		func(o *options) *time.Duration { return &o.kubelet.StopLatency }),
	// kubevirt-behaviour K3
	"network.gatesReadiness": boolean("whether the network of a VM's pod waits for its port; false is a pod that gets ready without OVN, as with a secondary interface",
		func(o *options) *bool { return &o.gatesReadiness }),
	// kubevirt-behaviour B.6
	"kubevirt.flavour": either("Deckhouse's fork of KubeVirt, or KubeVirt as released", "fork", "stock",
		func(o *options) *bool { return &o.controller.Stock }),
	// kubevirt-behaviour 0.3, B.1
	"kubevirt.version": either("the version, as far as machines and instances go: the one that the fork was made from, or a newer one", "v1.6.2", "head",
		func(o *options) *bool { return &o.controller.Head }),
	// kubevirt-behaviour B.1
	"kubevirt.vmRolloutStrategy": either("what becomes of a changed template: it is carried over to a running instance where that is possible, or waits for the next start", "LiveUpdate", "Stage",
		func(o *options) *bool { return &o.controller.Stage }),
	"pod-gc.offset": within(20*time.Second, duration("when the pod garbage collector looks first; then it does every 20 s",
		func(o *options) *time.Duration { return &o.collector.Offset })),
	"virt-controller.latency": duration("how long virt-controller takes from an event to the first write",
		func(o *options) *time.Duration { return &o.controller.Latency }),
	"virt-controller.parallelMigrationsPerCluster": count("migrations that may be under way at a time",
		func(o *options) *int { return &o.controller.PerCluster }),
	"virt-controller.parallelOutboundMigrationsPerNode": count("migrations away from one node that may be under way at a time",
		func(o *options) *int { return &o.controller.PerNode }),
	"virt-handler.latency": duration("how long virt-handler takes from an event to its write",
		func(o *options) *time.Duration { return &o.handler.Latency }),
	"virt-handler.start": duration("how long a domain takes to start",
		func(o *options) *time.Duration { return &o.handler.Start }),
	"virt-handler.shutdown": duration("how long a guest takes to shut down",
		func(o *options) *time.Duration { return &o.handler.Shutdown }),
	"virt-handler.prepare": duration("how long a migration's target prepares",
		func(o *options) *time.Duration { return &o.handler.Prepare }),
	"virt-handler.transfer": duration("how long the data phase of a migration takes",
		func(o *options) *time.Duration { return &o.handler.Transfer }),
}

// Settings are the keys that New understands, each with a function that says what
// is wrong with a value, or nil.
func Settings() map[string]func(value string) error {
	out := make(map[string]func(string) error, len(catalog))
	for key, s := range catalog {
		out[key] = func(value string) error { return s.set(defaults(), value) }
	}
	return out
}

// A Description is what the reference of the language says of a setting.
type Description struct {
	Key     string // "scheduler.latency"
	Default string // as a scenario would write it: "5ms"
	About   string // in one line
}

// Describe describes all settings, in the order of their keys.
func Describe() []Description {
	var all []Description
	for _, key := range slices.Sorted(maps.Keys(catalog)) {
		all = append(all, Description{key, catalog[key].show(defaults()), catalog[key].about})
	}
	return all
}

// parse reads the settings that are of the catalog.
func parse(settings map[string]string) (*options, error) {
	o := defaults()
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		known, ok := catalog[key]
		if !ok {
			continue
		}
		if err := known.set(o, settings[key]); err != nil {
			return nil, fmt.Errorf("setting %s: %w", key, err)
		}
	}
	return o, nil
}

func duration(about string, field func(*options) *time.Duration) setting {
	set := func(o *options, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return fmt.Errorf("want a duration of at least 0 such as 500ms or 2s, found %q", value)
		}
		*field(o) = d
		return nil
	}
	return setting{about, set, func(o *options) string { return field(o).String() }}
}

// within refuses a duration that is not less than a limit.
func within(limit time.Duration, s setting) setting {
	set := s.set
	s.set = func(o *options, value string) error {
		if d, err := time.ParseDuration(value); err == nil && d >= limit {
			return fmt.Errorf("want a duration of less than %s, found %q", limit, value)
		}
		return set(o, value)
	}
	return s
}

// either is a choice between two words, of which the second sets the field.
func either(about, off, on string, field func(*options) *bool) setting {
	set := func(o *options, value string) error {
		switch value {
		case off, on:
			*field(o) = value == on
			return nil
		}
		return fmt.Errorf("want %s or %s, found %q", off, on, value)
	}
	show := func(o *options) string {
		if *field(o) {
			return on
		}
		return off
	}
	return setting{fmt.Sprintf("%s or %s: %s", off, on, about), set, show}
}

func boolean(about string, field func(*options) *bool) setting {
	set := func(o *options, value string) error {
		switch value {
		case "true", "false":
			*field(o) = value == "true"
			return nil
		}
		return fmt.Errorf("want true or false, found %q", value)
	}
	return setting{about, set, func(o *options) string { return strconv.FormatBool(*field(o)) }}
}

func count(about string, field func(*options) *int) setting {
	set := func(o *options, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("want a whole number of at least 1, found %q", value)
		}
		*field(o) = n
		return nil
	}
	return setting{about, set, func(o *options) string { return strconv.Itoa(*field(o)) }}
}
