package virthandler

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// watchdog is how long a launcher may be unresponsive (kubevirt-behaviour C.1, E:
// 30 s).
const watchdog = 30 * time.Second

// A domain is one virtual machine on its node, while it starts or stops.
type domain struct {
	uid      string // of the instance
	running  bool
	stopping bool
	cancel   func() // of the running timer
}

func (d *domain) stop() {
	if d.cancel != nil {
		d.cancel()
		d.cancel = nil
	}
}

// domainOf is the domain of an instance. One of an earlier instance of the same
// name is forgotten.
func (v *Handler) domainOf(vmi *facts.VMI) *domain {
	d := v.domains[vmi.Key()]
	if d != nil && d.uid == vmi.UID {
		return d
	}
	if d != nil {
		d.stop()
	}
	d = &domain{uid: vmi.UID, running: vmi.Phase == facts.PhaseRunning}
	v.domains[vmi.Key()] = d
	return d
}

func (v *Handler) later(vmi *facts.VMI, d *domain, detail string, delay time.Duration, over func()) {
	d.cancel = v.Timer(vmi.Ref, detail, delay, func() {
		d.cancel = nil
		over()
		v.queue.Add(vmi.Key())
	})
}

// start takes an instance over from virt-controller: the label of the node and the
// phase Scheduled are all of the hand-off (kubevirt-behaviour C.1, C.4).
func (v *Handler) start(vmi *facts.VMI) standin.Plan {
	d := v.domainOf(vmi)
	switch {
	case vmi.NodeName == "" || vmi.Label(facts.LabelNodeName) != vmi.NodeName:
	case d.running:
		return standin.Plan{Writes: []standin.Write{v.write(vmi, v.becomeRunning)}}
	case d.cancel != nil:
	default:
		v.define(vmi, d)
	}
	return standin.Plan{}
}

// define starts the domain in its launcher. A launcher that does not answer is
// waited for as long as the watchdog lets it.
func (v *Handler) define(vmi *facts.VMI, d *domain) {
	launcher := ""
	if v.o.Launchers != nil {
		launcher = v.o.Launchers.Find(vmi.UID, vmi.NodeName)
	}
	if v.o.Launchers != nil && launcher == "" {
		v.later(vmi, d, "launcher unresponsive for "+watchdog.String(), watchdog, func() {
			if v.o.Launchers.Find(vmi.UID, vmi.NodeName) == "" {
				v.lost[vmi.Key()] = facts.PhaseFailed
			}
		})
		return
	}
	v.later(vmi, d, "domain started", v.o.Start, func() {
		d.running = true
		if launcher != "" {
			v.o.Launchers.Started(launcher)
		}
	})
}

func (v *Handler) becomeRunning(content map[string]any) {
	now := v.Gate.Wall()
	facts.EnterPhase(content, facts.PhaseRunning, now)
	standin.SetCondition(content, now, "LiveMigratable", "True", "", "")
	standin.SetCondition(content, now, "StorageLiveMigratable", "True", "", "")
}

// guestActs tells whether the guest ends by itself. It does so once it runs.
func guestActs(vmi *facts.VMI) bool {
	action := vmi.Annotation(facts.AnnotationGuest)
	return vmi.Phase == facts.PhaseRunning && (action == facts.GuestShutdown || action == facts.GuestCrash)
}

// end ends the domain: at once as its guest does by itself, or, in a deletion,
// when the guest has shut down. A guest that takes longer than its grace period is
// destroyed (kubevirt-behaviour C.1).
func (v *Handler) end(vmi *facts.VMI) {
	d := v.domainOf(vmi)
	if d.stopping || !(d.running || vmi.Phase == facts.PhaseScheduled) {
		return
	}
	d.stop()
	d.stopping = true
	if guestActs(vmi) {
		v.exit(vmi, vmi.Annotation(facts.AnnotationGuest) == facts.GuestShutdown)
		v.queue.Add(vmi.Key())
		return
	}
	grace := time.Duration(vmi.GracePeriod()) * time.Second
	clean := v.o.Shutdown <= grace
	v.later(vmi, d, "guest stopped", min(v.o.Shutdown, grace), func() { v.exit(vmi, clean) })
}

// exit is the end of a domain, and of its launcher with it.
func (v *Handler) exit(vmi *facts.VMI, clean bool) {
	v.ended(vmi, clean)
	if v.o.Launchers == nil {
		return
	}
	if launcher := v.o.Launchers.Find(vmi.UID, vmi.NodeName); launcher != "" {
		v.o.Launchers.Exit(launcher, clean)
	}
}

// ended notes how an instance ends whose domain is gone. One that never ran, or
// did not shut down, has failed.
func (v *Handler) ended(vmi *facts.VMI, clean bool) {
	if v.lost[vmi.Key()] != "" {
		return
	}
	v.lost[vmi.Key()] = facts.PhaseFailed
	if clean && vmi.Phase == facts.PhaseRunning {
		v.lost[vmi.Key()] = facts.PhaseSucceeded
	}
}

// domainLost ends an instance whose domain is gone, and its migration with it.
func (v *Handler) domainLost(vmi *facts.VMI, phase string) standin.Plan {
	return standin.Plan{Writes: []standin.Write{v.write(vmi, func(content map[string]any) {
		facts.EnterPhase(content, phase, v.Gate.Wall())
		if s := vmi.State; s != nil && !s.Completed {
			standin.Set(content, true, "status", "migrationState", "failed")
			standin.Set(content, true, "status", "migrationState", "completed")
			standin.Set(content, v.now(), "status", "migrationState", "endTimestamp")
			standin.Set(content, "the source domain was lost", "status", "migrationState", "failureReason")
		}
	})}}
}
