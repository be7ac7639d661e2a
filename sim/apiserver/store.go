package apiserver

import (
	"slices"
	"strings"
)

// A store holds the objects of one resource, and the writes of the recent past.
type store struct {
	objects []*Object // sorted by key
	log     []record  // in resourceVersion order
	// dropped is the resourceVersion of the newest write that the log no longer
	// holds: watches cannot start before it.
	dropped uint64
	watches []*watch // in the order of their opening
}

// A record is one write as watches see it.
type record struct {
	eventType string
	object    *Object // the new state; of a deletion, the last state at the deletion's version
	previous  *Object // nil for an addition
}

func (s *store) search(key string) (int, bool) {
	return slices.BinarySearchFunc(s.objects, key, func(o *Object, k string) int {
		return strings.Compare(o.key, k)
	})
}

func (s *store) get(key string) *Object {
	if i, ok := s.search(key); ok {
		return s.objects[i]
	}
	return nil
}

func (s *store) put(o *Object) {
	i, ok := s.search(o.key)
	if ok {
		s.objects[i] = o
		return
	}
	s.objects = slices.Insert(s.objects, i, o)
}

func (s *store) remove(key string) {
	if i, ok := s.search(key); ok {
		s.objects = slices.Delete(s.objects, i, i+1)
	}
}

// remember adds a write to the log, and forgets the oldest beyond the limit.
func (s *store) remember(r record, limit int) {
	s.log = append(s.log, r)
	if len(s.log) > limit {
		s.forget(len(s.log) - limit)
	}
}

func (s *store) forget(n int) {
	if n > 0 {
		s.dropped = s.log[n-1].object.version
		s.log = s.log[n:]
	}
}

// since gives the writes after a version; ok is false if some are forgotten.
func (s *store) since(version uint64) (records []record, ok bool) {
	if version < s.dropped {
		return nil, false
	}
	i, _ := slices.BinarySearchFunc(s.log, version+1, func(r record, v uint64) int {
		if r.object.version < v {
			return -1
		}
		return 1
	})
	return s.log[i:], true
}

// at gives the objects as they were at a version, by taking back the writes
// since; ok is false if some of them are forgotten.
func (s *store) at(version uint64) (objects []*Object, ok bool) {
	records, ok := s.since(version)
	if !ok || len(records) == 0 {
		return s.objects, ok
	}
	past := store{objects: slices.Clone(s.objects)}
	for _, r := range slices.Backward(records) {
		if r.previous == nil {
			past.remove(r.object.key)
		} else {
			past.put(r.previous)
		}
	}
	return past.objects, true
}

// within gives the part of sorted objects that is in a namespace, or all.
func within(objects []*Object, namespace string) []*Object {
	if namespace == "" {
		return objects
	}
	from, _ := slices.BinarySearchFunc(objects, namespace+"/", compareKey)
	to, _ := slices.BinarySearchFunc(objects, namespace+"0", compareKey) // '0' follows '/'
	return objects[from:to]
}

func compareKey(o *Object, key string) int { return strings.Compare(o.key, key) }
