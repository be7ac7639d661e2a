package apiserver

import (
	"maps"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Update replaces an object, or the part of it that a subresource ("status")
// covers. If the content has a resourceVersion, it must be the current one. An
// update that changes nothing writes nothing. The content is shared from then on.
func (s *Server) Update(content map[string]any, subresource string) (*Object, error) {
	res, err := s.resourceOf(content)
	if err != nil {
		return nil, err
	}
	meta := child(content, "metadata")
	ref := engine.Ref{Kind: res.key, Namespace: text(meta, "namespace"), Name: text(meta, "name")}
	old, err := s.find(res, ref, subresource)
	if err != nil {
		return nil, err
	}
	return s.update(old, content, write{subresource: subresource, put: true})
}

// find gives the object that a write below a subresource is about.
func (s *Server) find(res *resource, ref engine.Ref, subresource string) (*Object, error) {
	if subresource != "" && (subresource != "status" || !res.Status) {
		return nil, res.noSuchSubresource(ref.Name)
	}
	if o := s.store(res).get(ref.Key()); o != nil {
		return o, nil
	}
	return nil, notFound(res, ref.Name)
}

// update stores content as the next state of an object. If that removes the last
// finalizer of an object that is being deleted, the object is gone; what is
// returned then was never stored.
func (s *Server) update(old *Object, content map[string]any, w write) (*Object, error) {
	res := old.res
	next, meta, err := res.own(res.completed(res.written(content, w), w))
	if err != nil {
		return nil, err
	}
	if err := checkIdentity(old, meta); err != nil {
		return nil, err
	}
	if err := checkPreconditions(old, meta, w); err != nil {
		return nil, err
	}
	isolate(old, next, w.subresource)
	meta = child(next, "metadata")
	share(next, old.content)
	next["metadata"] = meta // still to be changed, so not shared
	if res.defaults != nil && (!res.graceful || !same(next["spec"], old.content["spec"])) {
		res.complete(next)
		share(next, old.content)
		next["metadata"] = meta
	}
	share(meta, old.meta())
	keepSystemFields(old, meta)
	errs, err := res.checkMeta(meta, old.meta())
	if err != nil {
		return nil, err
	}
	unsaved := &Object{res: res, ref: old.ref, key: old.key, version: old.version, content: next, base: old}
	errs = append(errs, checkUID(old, meta)...)
	errs = append(errs, checkSpec(unsaved, old)...)
	errs = append(errs, res.checkSchema(next, old.content, w)...)
	if len(errs) > 0 {
		return nil, res.invalid(old.ref.Name, errs)
	}
	if w.subresource == "" {
		raiseGeneration(unsaved, old)
	}
	s.manage(unsaved, old, w)
	if equal(next, old.content, !res.custom) {
		return old, nil
	}
	if err := unsaved.fits(); err != nil || w.dryRun {
		return unsaved, err
	}
	if isFinal(old, meta) {
		s.erase(old)
		return unsaved, nil
	}
	o := s.write(res, old, next)
	o.by = w.author()
	o.adopt(unsaved)
	return o, nil
}

func checkIdentity(old *Object, meta map[string]any) error {
	if name := text(meta, "name"); name != old.ref.Name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, old.ref.Name)
	}
	namespace := text(meta, "namespace")
	if namespace == "" && old.ref.Namespace != "" {
		meta["namespace"] = old.ref.Namespace
		return nil
	}
	if namespace != old.ref.Namespace {
		return badRequest("the namespace of the object (%s) does not match the namespace on the URL (%s)", namespace, old.ref.Namespace)
	}
	return nil
}

// checkPreconditions compares the uid and the resourceVersion that the client
// saw with the current ones.
func checkPreconditions(old *Object, meta map[string]any, w write) error {
	res, name := old.res, old.ref.Name
	if uid := text(meta, "uid"); w.put && uid != "" && uid != old.UID() {
		return conflict(res, name, "Precondition failed: UID in precondition: %s, UID in object meta: %s", uid, old.UID())
	}
	given := text(meta, "resourceVersion")
	if given == "" || given == "0" {
		if !res.guarded {
			return nil
		}
		path := metadataPath.Child("resourceVersion")
		byResource := schema.GroupKind{Group: res.Group, Kind: res.Plural}
		return apierrors.NewInvalid(byResource, name, field.ErrorList{field.Invalid(path, 0, "must be specified for an update")})
	}
	version, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		path := metadataPath.Child("resourceVersion")
		return res.invalid(name, field.ErrorList{field.Invalid(path, given, err.Error())})
	}
	if version != old.version {
		return conflict(res, name, "%w", errStale)
	}
	return nil
}

// isolate puts back what the endpoint may not change. The main endpoint leaves
// the status of kinds with the subresource alone. The status endpoint leaves all
// but the status alone; of built-in kinds it also takes labels, annotations and
// finalizers, as kube-apiserver does.
func isolate(old *Object, next map[string]any, subresource string) {
	if subresource == "" {
		if old.res.Status {
			set(next, "status", old.content["status"])
		}
		return
	}
	meta, status := child(next, "metadata"), next["status"]
	clear(next)
	maps.Copy(next, old.content)
	set(next, "status", status)
	if old.res.custom {
		meta = maps.Clone(old.meta())
	} else {
		set(meta, "ownerReferences", old.meta()["ownerReferences"])
	}
	next["metadata"] = meta
}

// keepSystemFields puts back the metadata that only the server sets.
func keepSystemFields(old *Object, meta map[string]any) {
	before := old.meta()
	for _, key := range []string{"resourceVersion", "creationTimestamp", "deletionTimestamp",
		"deletionGracePeriodSeconds", "generation", "generateName"} {
		set(meta, key, before[key])
	}
	delete(meta, "selfLink")
	if text(meta, "uid") == "" {
		set(meta, "uid", before["uid"])
	}
}

func checkUID(old *Object, meta map[string]any) field.ErrorList {
	if uid := text(meta, "uid"); uid != old.UID() {
		return field.ErrorList{field.Invalid(metadataPath.Child("uid"), uid, "field is immutable")}
	}
	return nil
}

// isFinal says that an object goes with this update: it is being deleted, no
// grace period runs, and no finalizer is left.
func isFinal(old *Object, meta map[string]any) bool {
	if old.meta()["deletionTimestamp"] == nil || hasFinalizers(meta) {
		return false
	}
	grace, ok := integer(old.meta(), "deletionGracePeriodSeconds")
	return !ok || grace == 0
}

func hasFinalizers(meta map[string]any) bool {
	list, _ := meta["finalizers"].([]any)
	return len(list) > 0
}
