package virthandler

import (
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// migrationPort is the port of the one connection that a migration uses here;
// the real number differs from migration to migration.
const migrationPort = "49152"

// reconcile takes the next step of an instance: of its start, its end or its
// migration. Each step is one write of the whole object, which fails if the
// instance changed meanwhile.
func (v *Handler) reconcile(key string) standin.Plan {
	vmi := v.vmis.Get(key)
	switch {
	case vmi == nil || vmi.Final():
		v.forget(key)
		return standin.Plan{}
	case v.lost[key] != "":
		return v.domainLost(vmi, v.lost[key])
	case vmi.Deleting || guestActs(vmi):
		v.end(vmi)
	case vmi.Phase == facts.PhaseScheduled:
		return v.start(vmi)
	}
	switch {
	case vmi.State == nil || vmi.Phase != facts.PhaseRunning:
		return standin.Plan{}
	case vmi.State.Completed:
		return v.cleanUp(vmi)
	}
	return v.migrate(vmi, v.jobOf(vmi))
}

// migrate follows the order of kubevirt-behaviour D.8: what others see is the
// address, the start, the ready domain, the new node name, and then the end.
func (v *Handler) migrate(vmi *facts.VMI, j *job) standin.Plan {
	s := vmi.State
	if s.AbortRequested {
		j.fail("Live migration aborted by request")
	}
	switch {
	case j.failure != "":
		return v.failed(vmi, j)
	case vmi.Label(facts.LabelTargetNodeName) != s.TargetNode || s.TargetNode == "":
		return standin.Plan{} // not handed to a target yet
	case s.TargetAddress == "" && !j.prepared:
		v.prepare(vmi, j)
	case s.TargetAddress == "":
		return v.prepared(vmi)
	case !s.Started && !v.targetRuns(vmi):
		// Nobody listens at the target's address (D.7: failed in TargetReady).
		j.fail(targetLost)
		return v.failed(vmi, j)
	case !s.Started:
		v.transfer(vmi, j)
		return v.set(vmi, map[string]any{"startTimestamp": v.now()})
	case !j.moved:
		v.transfer(vmi, j) // goes on after a restart; else it runs already
	case !s.TargetReady:
		return v.set(vmi, map[string]any{"targetNodeDomainDetected": true, "targetNodeDomainReadyTimestamp": v.now()})
	case vmi.NodeName != s.TargetNode:
		return v.flip(vmi)
	default:
		return v.complete(vmi)
	}
	return standin.Plan{}
}

func (v *Handler) now() string { return standin.Timestamp(v.Gate.Wall()) }

// write updates the whole instance: it has no status subresource.
func (v *Handler) write(vmi *facts.VMI, change func(content map[string]any)) standin.Write {
	content := standin.Edit(vmi.Content())
	change(content)
	return v.Update(vmi.Ref, content, "")
}

// set writes fields of status.migrationState.
func (v *Handler) set(vmi *facts.VMI, fields map[string]any) standin.Plan {
	return standin.Plan{Writes: []standin.Write{v.setState(vmi, fields)}}
}

func (v *Handler) setState(vmi *facts.VMI, fields map[string]any) standin.Write {
	return v.write(vmi, func(content map[string]any) {
		for name, value := range fields {
			standin.Set(content, value, "status", "migrationState", name)
		}
	})
}

func (v *Handler) prepared(vmi *facts.VMI) standin.Plan {
	return v.set(vmi, map[string]any{
		"targetNodeAddress":              v.address(vmi.State.TargetNode),
		"targetDirectMigrationNodePorts": map[string]any{migrationPort: int64(0)},
	})
}

// flip moves the instance to its new node (ackMigrationCompletion): before the
// migration is completed.
func (v *Handler) flip(vmi *facts.VMI) standin.Plan {
	node := vmi.State.TargetNode
	return standin.Plan{Writes: []standin.Write{v.write(vmi, func(content map[string]any) {
		standin.Set(content, node, "status", "nodeName")
		standin.Remove(content, "status", "evacuationNodeName")
		standin.Set(content, node, "metadata", "labels", facts.LabelNodeName)
	})}}
}

// complete ends a migration that went well; the source launcher then exits.
func (v *Handler) complete(vmi *facts.VMI) standin.Plan {
	w := v.setState(vmi, map[string]any{"completed": true, "endTimestamp": v.now()})
	w.Then = v.exitAfter(vmi.Sibling(vmi.State.SourcePod), true)
	return standin.Plan{Writes: []standin.Write{w}}
}

// failed ends a migration that did not; the target launcher then exits.
func (v *Handler) failed(vmi *facts.VMI, j *job) standin.Plan {
	fields := map[string]any{"failed": true, "completed": true, "endTimestamp": v.now(), "failureReason": j.failure}
	if vmi.State.AbortRequested {
		fields["abortStatus"] = "Succeeded"
	}
	w := v.setState(vmi, fields)
	w.Then = v.exitAfter(vmi.Sibling(vmi.State.TargetPod), false)
	return standin.Plan{Writes: []standin.Write{w}}
}

func (v *Handler) exitAfter(pod string, succeeded bool) func(error) {
	return func(err error) {
		if err == nil && v.o.Launchers != nil {
			v.o.Launchers.Exit(pod, succeeded)
		}
	}
}

// cleanUp drops what marks the target node, after the end.
func (v *Handler) cleanUp(vmi *facts.VMI) standin.Plan {
	if j := v.jobs[vmi.Key()]; j != nil {
		j.stop()
		delete(v.jobs, vmi.Key())
	}
	if vmi.Label(facts.LabelTargetNodeName) == "" {
		return standin.Plan{}
	}
	return standin.Plan{Writes: []standin.Write{v.write(vmi, func(content map[string]any) {
		standin.Remove(content, "metadata", "labels", facts.LabelTargetNodeName)
	})}}
}
