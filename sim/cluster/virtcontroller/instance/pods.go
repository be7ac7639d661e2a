package instance

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/launcher"
)

// Reasons of the condition Synchronized.
const (
	failedCreatePod = "FailedCreate"
	failedDeletePod = "FailedDelete"
)

// keepFailed is how many failed launchers of an instance the fork keeps
// (kubevirt-behaviour B.6: 022).
const keepFailed = 3

// sync does what the instance needs of pods, before its status is written.
func (p *pass) sync() standin.Plan {
	switch {
	case p.vmi.Deleting:
		return p.deletePods(p.deletable())
	case p.vmi.Final():
		return p.finish(nil)
	}
	return p.deleteFailed(p.surplus())
}

// deletable are the pods that an instance in deletion still has to delete:
// those that are being deleted are let be until they have ended.
func (p *pass) deletable() []*facts.Pod {
	return slices.DeleteFunc(p.PodsOf(p.vmi), func(pod *facts.Pod) bool { return pod.Deleting && !pod.Final() })
}

// deletePods deletes one pod after another. Each expectation overwrites the one
// before, so that only the last deletion is waited for (kubevirt-behaviour 0.3).
func (p *pass) deletePods(pods []*facts.Pod) standin.Plan {
	if len(pods) == 0 {
		return p.finish(nil)
	}
	pod := pods[0]
	p.Controller.pods.ExpectDeletion(p.key, pod.Key(), p.Gate.Elapsed())
	w := p.Delete(pod.Ref, "", nil)
	w.Ignore = nil
	return standin.Then(w, func(_ *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			p.Controller.pods.DeletionObserved(p.key, pod.Key())
		}
		if failed != nil && !apierrors.IsNotFound(failed) {
			return p.finish(&syncError{failedDeletePod, fmt.Errorf("failed to delete pod: %w", failed)})
		}
		return p.deletePods(pods[1:])
	})
}

// surplus are the failed launchers beyond those that the fork keeps, the newest
// first.
func (p *pass) surplus() []*facts.Pod {
	if !p.o.Fork {
		return nil
	}
	failed := slices.DeleteFunc(p.PodsOf(p.vmi), func(pod *facts.Pod) bool { return pod.Phase != facts.PhaseFailed })
	if len(failed) <= keepFailed {
		return nil
	}
	slices.SortStableFunc(failed, func(a, b *facts.Pod) int { return b.Created.Compare(a.Created) })
	return failed[keepFailed:]
}

func (p *pass) deleteFailed(pods []*facts.Pod) standin.Plan {
	if len(pods) == 0 {
		return p.createPod()
	}
	var now int64
	w := p.Delete(pods[0].Ref, "", &now)
	w.Ignore = nil
	return standin.Then(w, func(_ *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			return p.finish(&syncError{failedDeletePod, fmt.Errorf("failed to delete error pods: %w", failed)})
		}
		return p.deleteFailed(pods[1:])
	})
}

var errMigrating = errors.New("active migration exists")

// createPod creates the launcher, if there is no pod and there never was one, as
// far as the phase says: after that it is never created again (B.3, C.1).
func (p *pass) createPod() standin.Plan {
	if p.pod != nil || !p.vmi.Unprocessed() || p.vmi.Annotation(facts.AnnotationReceiver) == "true" {
		return p.finish(nil)
	}
	for _, m := range p.MigrationsOf(p.key) {
		if !m.Final() {
			return p.finish(&syncError{failedCreatePod, errMigrating})
		}
	}
	p.Controller.pods.ExpectCreations(p.key, 1, p.Gate.Elapsed())
	w := launcher.Render(p.vmi, p.container(), "").Create(p.StandIn)
	return standin.Then(w, func(created *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			p.Controller.pods.CreationObserved(p.key)
			return p.finish(&syncError{failedCreatePod, fmt.Errorf("failed to create virtual machine pod: %w", failed)})
		}
		p.pod = facts.ReadPod(created)
		return p.finish(nil)
	})
}

func (p *pass) container() string {
	if p.o.Fork {
		return facts.ForkCompute
	}
	return facts.Compute
}

// labelPod keeps the pod's label of the node what the instance's is (C.3).
func (p *pass) labelPod() (standin.Write, bool) {
	if p.pod == nil || p.pod.Label(facts.LabelNodeName) == p.vmi.Label(facts.LabelNodeName) {
		return standin.Write{}, false
	}
	was := standin.Map(p.pod.Content(), "metadata", "labels")
	labels := map[string]any{}
	maps.Copy(labels, was)
	if node := p.vmi.Label(facts.LabelNodeName); node != "" {
		labels[facts.LabelNodeName] = node
	} else {
		delete(labels, facts.LabelNodeName)
	}
	return p.PatchJSON(p.pod.Ref, standin.Replace("/metadata/labels", anyOf(was), labels), ""), true
}

// anyOf is the map, or no value at all if it is nil.
func anyOf(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}
