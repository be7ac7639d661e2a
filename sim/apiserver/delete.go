package apiserver

import (
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Delete deletes an object: at once, or, if finalizers hold it or it is a pod
// that may end gracefully, by marking it with a deletionTimestamp.
func (s *Server) Delete(ref engine.Ref, opts metav1.DeleteOptions) error {
	res, err := s.kind(ref.Kind)
	if err != nil {
		return err
	}
	_, _, err = s.delete(res, ref, opts)
	return err
}

// delete gives the object as it then is, or as it last was if it is gone.
func (s *Server) delete(res *resource, ref engine.Ref, opts metav1.DeleteOptions) (o *Object, gone bool, err error) {
	o = s.store(res).get(ref.Key())
	if o == nil {
		return nil, false, notFound(res, ref.Name)
	}
	if err := checkDeletePreconditions(o, opts.Preconditions); err != nil {
		return nil, false, err
	}
	if err := checkPropagation(opts); err != nil {
		return nil, false, err
	}
	waits := propagationFinalizers(o, opts)
	change, gone := s.deletion(o, opts.GracePeriodSeconds)
	if gone && len(waits) > 0 {
		gone = false
		change = &deletionMark{at: s.clock.Wall()}
	}
	if change != nil {
		change.finalizers = waits
	}
	if len(opts.DryRun) > 0 {
		if change != nil {
			o = &Object{res: res, ref: o.ref, key: o.key, version: o.version, content: marked(o, *change)}
		}
		return o, gone, nil
	}
	if change != nil {
		o = s.mark(o, *change)
	}
	if gone {
		o = s.erase(o)
	}
	return o, gone, nil
}

func checkDeletePreconditions(o *Object, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	if p.UID != nil && o.res.oneByOne && string(*p.UID) != o.UID() {
		return conflict(o.res, o.ref.Name, "Precondition failed: UID in precondition: %s, UID in object meta: %s", *p.UID, o.UID())
	}
	if v := text(o.meta(), "resourceVersion"); p.ResourceVersion != nil && o.res.oneByOne && *p.ResourceVersion != v {
		return conflict(o.res, o.ref.Name, "Precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s", *p.ResourceVersion, v)
	}
	if p.UID != nil && string(*p.UID) != o.UID() {
		return preconditionFailed(o, "the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, o.UID())
	}
	if v := text(o.meta(), "resourceVersion"); p.ResourceVersion != nil && *p.ResourceVersion != v {
		return preconditionFailed(o, "the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, v)
	}
	return nil
}

// preconditionFailed names the kind where other conflicts name the resource.
func preconditionFailed(o *Object, format string, args ...any) error {
	return apierrors.NewConflict(schema.GroupResource{Group: o.res.Group, Resource: o.res.Kind}, o.ref.Name, fmt.Errorf(format, args...))
}

// A deletionMark is what a deletion writes into an object that stays for now.
type deletionMark struct {
	at    time.Time
	grace int64 // seconds
	// finalizers are to hold the object for the garbage collector.
	finalizers []any
}

// deletion decides what a deletion does: mark the object, remove it, or both (a
// graceful deletion without time is two writes), or nothing, if an earlier one
// is still running.
func (s *Server) deletion(o *Object, asked *int64) (*deletionMark, bool) {
	held := hasFinalizers(o.meta())
	if !o.res.graceful {
		if !held {
			return nil, true
		}
		return &deletionMark{at: s.clock.Wall()}, false
	}
	if o.meta()["deletionTimestamp"] == nil {
		grace := podGrace(o, asked)
		return &deletionMark{at: s.clock.Wall().Add(seconds(grace)), grace: grace}, grace == 0 && !held
	}
	return s.repeatedDeletion(o, asked, held)
}

// repeatedDeletion decides on a pod that is being deleted already: its time can
// only become shorter.
func (s *Server) repeatedDeletion(o *Object, asked *int64, held bool) (*deletionMark, bool) {
	running, _ := integer(o.meta(), "deletionGracePeriodSeconds")
	if running == 0 {
		return nil, !held
	}
	if asked == nil {
		return nil, false
	}
	grace := atLeastOne(*asked)
	if grace >= running {
		return nil, false
	}
	now := s.clock.Wall()
	at := deletionTime(o).Add(seconds(grace - running))
	if at.Before(now) {
		// The time asked for is over already: someone else still has to end
		// the pod, unless no time at all was asked for.
		at, grace = now, min(grace, 1)
	}
	return &deletionMark{at: at, grace: grace}, grace == 0 && !held
}

// podGrace is how long a pod may take to end, in seconds: none if it does not
// run (kubevirt-behaviour C.5: "unscheduled, DELETE: grace forced 0").
func podGrace(o *Object, asked *int64) int64 {
	spec := child(o.content, "spec")
	phase := text(child(o.content, "status"), "phase")
	if text(spec, "nodeName") == "" || phase == "Succeeded" || phase == "Failed" {
		return 0
	}
	if asked != nil {
		return atLeastOne(*asked)
	}
	if grace, ok := integer(spec, "terminationGracePeriodSeconds"); ok {
		return atLeastOne(grace)
	}
	return defaultPodGrace
}

// defaultPodGrace is terminationGracePeriodSeconds of a pod that names none.
const defaultPodGrace = 30

// atLeastOne makes a negative grace period 1, as kube-apiserver does.
func atLeastOne(grace int64) int64 {
	if grace < 0 {
		return 1
	}
	return grace
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func deletionTime(o *Object) time.Time {
	// A timestamp that is no time is as good as one that has passed.
	t, _ := time.Parse(time.RFC3339, text(o.meta(), "deletionTimestamp"))
	return t
}

// mark writes a deletion into an object. The first raises the generation; one
// that is there already only moves forward in time.
func (s *Server) mark(o *Object, m deletionMark) *Object {
	next := marked(o, m)
	if equal(next, o.content, false) {
		return o
	}
	return s.write(o.res, o, next)
}

func marked(o *Object, m deletionMark) map[string]any {
	meta := with(o.meta(), "deletionGracePeriodSeconds", m.grace)
	first := meta["deletionTimestamp"] == nil
	if first || deletionTime(o).After(m.at) {
		meta["deletionTimestamp"] = m.at.UTC().Truncate(time.Second).Format(time.RFC3339)
	}
	if generation, ok := integer(meta, "generation"); first && ok {
		meta["generation"] = generation + 1
	}
	if first && len(m.finalizers) > 0 {
		held, _ := meta["finalizers"].([]any)
		meta["finalizers"] = append(slices.Clip(held), m.finalizers...)
	}
	next := with(o.content, "metadata", meta)
	if o.res.oneByOne { // a namespace: it is not graceful, and says in its status that it ends
		delete(meta, "deletionGracePeriodSeconds")
		next["status"] = with(child(o.content, "status"), "phase", "Terminating")
	}
	return next
}
