package apiserver

import "github.com/vmreplay/vmreplay/sim/engine"

// Load stores an object as it is given, for fixtures and scripts: it creates or
// replaces it, without optimistic locking, and keeps what a client could not
// set: status, uid, finalizers, creationTimestamp, deletionTimestamp, generation.
// What is left out of these is filled in as by Create; of an object that exists
// already, its status, uid, timestamps and generation stay. The kind's schema is
// enforced as on a request, for the status as well. Content equal to what is
// stored writes nothing. The content is shared from then on, as with Create.
func (s *Server) Load(content map[string]any) (*Object, error) {
	res, err := s.resourceOf(content)
	if err != nil {
		return nil, err
	}
	request := write{wire: true}
	object, meta, err := res.own(res.completed(content, request))
	if err != nil {
		return nil, err
	}
	if err := res.checkScope(meta); err != nil {
		return nil, err
	}
	s.complete(res, meta)
	if errs := append(res.checkName(meta), res.checkSchema(object, nil, request)...); len(errs) > 0 {
		return nil, res.invalid(text(meta, "name"), errs)
	}
	ref := engine.Ref{Namespace: text(meta, "namespace"), Name: text(meta, "name")}
	res.complete(object)
	old := s.store(res).get(ref.Key())
	if old == nil {
		s.stamp(res, object)
	} else {
		inherit(res, object, old)
	}
	if old != nil && equal(object, old.content, false) {
		return old, nil
	}
	unsaved := &Object{res: res, ref: ref, content: object, base: old}
	if err := unsaved.fits(); err != nil {
		return nil, err
	}
	o := s.write(res, old, object)
	o.adopt(unsaved)
	return o, nil
}

// inherit fills in what a replacement leaves out.
func inherit(res *resource, object map[string]any, old *Object) {
	meta, before := child(object, "metadata"), old.meta()
	_, given := integer(meta, "generation")
	for _, key := range []string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"} {
		if meta[key] == nil {
			set(meta, key, before[key])
		}
	}
	meta["resourceVersion"] = before["resourceVersion"]
	share(object, old.content)
	object["metadata"] = meta // still to be changed, so not shared
	share(meta, before)
	if object["status"] == nil {
		set(object, "status", old.content["status"])
	}
	if !given {
		raiseGeneration(&Object{res: res, content: object}, old)
	}
}
