package apiserver

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func checkPropagation(opts metav1.DeleteOptions) error {
	if opts.PropagationPolicy == nil && opts.OrphanDependents == nil { //nolint:staticcheck // the server still takes it
		return nil
	}
	opts.DryRun = nil // checked with the query
	if errs := metavalidation.ValidateDeleteOptions(&opts); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs)
	}
	return nil
}

// propagationFinalizers are what a deletion adds, for the garbage collector to
// remove once it is done with the dependents.
func propagationFinalizers(o *Object, opts metav1.DeleteOptions) []any {
	name := ""
	switch p := opts.PropagationPolicy; {
	case p != nil && *p == metav1.DeletePropagationForeground:
		name = metav1.FinalizerDeleteDependents
	case p != nil && *p == metav1.DeletePropagationOrphan, opts.OrphanDependents != nil && *opts.OrphanDependents: //nolint:staticcheck // the server still takes it
		name = metav1.FinalizerOrphanDependents
	}
	held, _ := o.meta()["finalizers"].([]any)
	if name == "" || slices.Contains(held, any(name)) {
		return nil
	}
	return []any{name}
}

// CollectGarbage does one round of the garbage collector: it deletes objects all
// of whose owners are gone, and finishes foreground and orphaning deletions. It
// tells how many objects it changed; call it until that is 0 for all that one
// deletion brings about. Nothing runs it on its own: who stands in for the
// controller manager decides when, and in what order with other writes.
func (s *Server) CollectGarbage() (changed int) {
	owners := map[string]*Object{} // by UID
	var all []*Object
	for _, r := range s.catalog.resources {
		if !r.Internal {
			all = append(all, s.store(r).objects...)
		}
	}
	for _, o := range all {
		owners[o.UID()] = o
	}
	for _, o := range all {
		if s.collect(o, all, owners) {
			changed++
		}
	}
	return changed
}

// collect does for one object what the collector has to, if anything.
func (s *Server) collect(o *Object, all []*Object, owners map[string]*Object) bool {
	if s.store(o.res).get(o.key) != o {
		return false // an earlier step of the round changed it
	}
	held, _ := o.meta()["finalizers"].([]any)
	switch {
	case o.meta()["deletionTimestamp"] == nil:
		return s.collectOrphan(o, owners)
	case slices.Contains(held, any(metav1.FinalizerOrphanDependents)):
		return s.release(o, all)
	case slices.Contains(held, any(metav1.FinalizerDeleteDependents)):
		return s.finishForeground(o, all)
	}
	return false
}

// collectOrphan deletes an object that had owners, and has none left.
func (s *Server) collectOrphan(o *Object, owners map[string]*Object) bool {
	refs, err := ownerReferences(o.meta())
	if err != nil || len(refs) == 0 {
		return false
	}
	for _, ref := range refs {
		if owners[string(ref.UID)] != nil {
			return false
		}
	}
	return s.remove(o, metav1.DeletePropagationBackground)
}

func (s *Server) remove(o *Object, policy metav1.DeletionPropagation) bool {
	_, _, err := s.delete(o.res, o.ref, metav1.DeleteOptions{PropagationPolicy: &policy})
	return err == nil
}

// finishForeground deletes what blocks an owner, and lets the owner go when
// nothing does any more.
func (s *Server) finishForeground(owner *Object, all []*Object) bool {
	waiting, changed := false, false
	for _, o := range all {
		now := s.store(o.res).get(o.key)
		if now == nil || !ownedBy(now, owner) {
			continue
		}
		waiting = true
		if now.meta()["deletionTimestamp"] == nil {
			changed = s.remove(now, metav1.DeletePropagationForeground) || changed
		}
	}
	if waiting {
		return changed
	}
	return s.unhold(owner, metav1.FinalizerDeleteDependents)
}

// release takes the owner out of its dependents, and lets it go.
func (s *Server) release(owner *Object, all []*Object) bool {
	for _, o := range all {
		now := s.store(o.res).get(o.key)
		if now == nil || !ownedBy(now, owner) {
			continue
		}
		refs, _ := now.meta()["ownerReferences"].([]any)
		rest := slices.DeleteFunc(slices.Clone(refs), func(r any) bool {
			ref, _ := r.(map[string]any)
			return text(ref, "uid") == owner.UID()
		})
		meta := with(now.meta(), "ownerReferences", rest)
		if _, err := s.update(now, with(now.content, "metadata", meta), write{manager: collector}); err != nil {
			return false
		}
	}
	return s.unhold(owner, metav1.FinalizerOrphanDependents)
}

const collector = "kube-controller-manager"

func (s *Server) unhold(o *Object, finalizer string) bool {
	held, _ := o.meta()["finalizers"].([]any)
	rest := slices.DeleteFunc(slices.Clone(held), func(f any) bool { return f == finalizer })
	meta := with(o.meta(), "finalizers", rest)
	_, err := s.update(o, with(o.content, "metadata", meta), write{manager: collector})
	return err == nil
}

func ownedBy(o, owner *Object) bool {
	refs, err := ownerReferences(o.meta())
	return err == nil && slices.ContainsFunc(refs, func(r metav1.OwnerReference) bool { return string(r.UID) == owner.UID() })
}
