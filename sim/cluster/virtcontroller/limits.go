package virtcontroller

import (
	"slices"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/cache"
)

// Delays before a pending migration looks again (D.3 row 3).
const (
	retryBusy  = time.Second     // other creations pending; more than one active pod
	retryLimit = 5 * time.Second // a limit of parallel migrations is reached
)

// syncTargetPod creates the target pod once nothing stands in the way; the order
// of the questions is that of D.3 row 3.
func (p *pass) syncTargetPod() {
	source := p.CurrentPod(p.vmi)
	if source == nil || p.m.Deleting {
		return
	}
	if left := p.backoffLeft(); left > 0 {
		p.queue.AddAfter(p.key, left, "migration back-off")
		return
	}
	if p.creations.AnyOpen(p.Gate.Elapsed()) {
		p.queue.AddAfter(p.key, retryBusy, "other target pods are being created")
		return
	}
	if p.livePods() > 1 {
		p.queue.AddAfter(p.key, retryBusy, "more than one active pod")
		return
	}
	if p.limitReached() {
		p.queue.AddAfter(p.key, retryLimit, "limit of parallel migrations")
		return
	}
	if p.vmi.Phase != facts.PhaseRunning {
		return
	}
	p.createTarget(source)
}

// livePods counts the instance's pods that have not ended.
func (p *pass) livePods() int {
	n := 0
	for _, pod := range p.PodsOf(p.vmi) {
		if !pod.Final() {
			n++
		}
	}
	return n
}

// limitReached counts the migrations under way (D.6: active count): all that have
// left Pending and are not final, and pending ones that own a target pod.
func (p *pass) limitReached() bool {
	running, outbound := 0, 0
	for _, m := range p.Migrations.List() {
		if m.Key() == p.key || !p.underWay(m) {
			continue
		}
		running++
		if vmi := p.VMIs.Get(cache.InstanceKey(m)); vmi != nil && vmi.NodeName == p.vmi.NodeName {
			outbound++
		}
	}
	return running >= p.o.PerCluster || outbound >= p.o.PerNode
}

func (c *Controller) underWay(m *facts.Migration) bool {
	if m.Phase == facts.PhasePending {
		vmi := c.VMIs.Get(cache.InstanceKey(m))
		return vmi != nil && c.TargetOf(m, vmi) != nil
	}
	return m.TargetCreated()
}

// backoffUnit is the first delay after failed migrations (D.6: 20 s·2^(k-1) after
// k failed ones in a row).
const backoffUnit = 20 * time.Second

// backoffLeft is how long a migration by eviction or workload update still has to
// wait because earlier ones of the instance failed; others never wait.
func (p *pass) backoffLeft() time.Duration {
	if !automatic(p.m) {
		return 0
	}
	var wait time.Duration
	var last time.Time
	for _, m := range p.newestFirst() {
		if m.Phase != facts.PhaseFailed {
			break
		}
		if wait == 0 {
			wait, last = backoffUnit, failedAt(m)
			continue
		}
		wait *= 2
	}
	return wait - p.Gate.Wall().Sub(last)
}

func automatic(m *facts.Migration) bool {
	return standin.Field(m.Content(), "metadata", "annotations", facts.AnnotationEvacuation) != nil ||
		standin.Field(m.Content(), "metadata", "annotations", facts.AnnotationWorkloadUpdate) != nil
}

// newestFirst are the instance's other automatic migrations.
func (p *pass) newestFirst() []*facts.Migration {
	others := slices.DeleteFunc(p.MigrationsOf(cache.InstanceKey(p.m)), func(m *facts.Migration) bool {
		return m.UID == p.m.UID || !automatic(m)
	})
	sortByAge(others)
	slices.Reverse(others)
	return others
}

// sortByAge sorts the oldest first; of the same second, by name.
func sortByAge(list []*facts.Migration) {
	slices.SortStableFunc(list, func(a, b *facts.Migration) int {
		if n := a.Created.Compare(b.Created); n != 0 {
			return n
		}
		return strings.Compare(a.Ref.Name, b.Ref.Name)
	})
}

func failedAt(m *facts.Migration) time.Time {
	for _, t := range standin.Items(m.Content(), "status", "phaseTransitionTimestamps") {
		if standin.String(t, "phase") == facts.PhaseFailed {
			return standin.Time(t, "phaseTransitionTimestamp")
		}
	}
	return m.Created
}
