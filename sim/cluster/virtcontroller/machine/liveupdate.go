package machine

import (
	"errors"
	"fmt"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// A liveUpdate carries one part of the template over to the instance. A failure
// keeps the later ones from being tried (kubevirt-behaviour A.2).
type liveUpdate struct {
	reason string // of the condition Failure
	what   string
	// plan gives the patches of the instance's spec, or why there can be none now.
	plan func(*pass) ([]standin.Write, error)
}

// liveUpdates are tried in this order, whatever the instance's phase
// (kubevirt-behaviour B.2).
var liveUpdates = []liveUpdate{
	{cpuHotplugError, "CPU", (*pass).updateCPU},
	{affinityError, "node affinity", (*pass).updateAffinity},
	{tolerationsError, "tolerations", (*pass).updateTolerations},
	{memoryHotplugFail, "memory", (*pass).updateMemory},
}

func (p *pass) liveUpdate(rest []liveUpdate) standin.Plan {
	if len(rest) == 0 || p.vmi == nil || p.vmi.Deleting {
		return p.restartUnscheduled()
	}
	u := rest[0]
	failed := func(err error) standin.Plan {
		return p.updateStatus(&syncError{u.reason, fmt.Errorf("handling %s change request: %w", u.what, err)})
	}
	writes, err := u.plan(p)
	if err != nil {
		return failed(err)
	}
	if len(writes) == 0 {
		return p.liveUpdate(rest[1:])
	}
	return standin.Plan{Writes: writes, Next: func(_ *apiserver.Object, err error) standin.Plan {
		if err != nil {
			return failed(err)
		}
		return p.liveUpdate(rest[1:])
	}}
}

var (
	errAffinityMigrating    = errors.New("node affinity should not be changed during VMI migration")
	errTolerationsMigrating = errors.New("tolerations should not be changed during VMI migration")
)

// updateAffinity patches affinity and nodeSelector, each by itself: in between,
// the instance has one of them new and the other old.
func (p *pass) updateAffinity() ([]standin.Write, error) {
	writes := append(p.carry("affinity", false), p.carry("nodeSelector", true)...)
	if len(writes) > 0 && p.vmi.Migrating() {
		return nil, errAffinityMigrating
	}
	return writes, nil
}

func (p *pass) updateTolerations() ([]standin.Write, error) {
	writes := p.carry("tolerations", true)
	if len(writes) > 0 && p.vmi.Migrating() {
		return nil, errTolerationsMigrating
	}
	return writes, nil
}

// carry is the patch that makes a field of the instance's spec that of the
// template, if they differ. emptyIsNone says that an empty value means none. A
// removal tests nothing.
func (p *pass) carry(field string, emptyIsNone bool) []standin.Write {
	want, have := standin.Field(p.content, "spec", "template", "spec", field), standin.Field(p.vmi.Content(), "spec", field)
	if standin.Equal(want, have) || emptyIsNone && empty(want) && empty(have) {
		return nil
	}
	ops := []standin.Op{{Op: "remove", Path: "/spec/" + field}}
	if want != nil {
		ops = standin.Replace("/spec/"+field, have, want)
	}
	return []standin.Write{p.PatchJSON(p.vmi.Ref, ops, "")}
}
