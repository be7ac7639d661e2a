package standin

import (
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A View is the cache of one kind, as its process has seen it so far. T holds
// what the process reads of an object; it is made once for each revision
// delivered and never modified.
type View[T any] struct {
	keys    []string // sorted
	objects map[string]*T
	indexes map[string]*index[T]
	read    func(engine.Revision) *T
	handle  func(Event[T])
	synced  func() // to be called once, when the initial state is in
}

// An Event is one change of a view. Old is nil where the object was not in the
// view before, New where it is gone.
type Event[T any] struct {
	Key      string // "namespace/name", or "name"
	Old, New *T
}

// Watch opens a view of a kind. read makes the objects; handle, if not nil, is
// called after every change of the view. An error means that there is no such
// kind, or that the options do not parse.
func Watch[T any](s *StandIn, kind string, o apiserver.WatchOptions, read func(engine.Revision) *T, handle func(Event[T])) (*View[T], error) {
	v := &View[T]{objects: map[string]*T{}, read: read, handle: handle, synced: s.synced}
	o.SendInitialEvents, o.AllowBookmarks = true, true
	w, err := s.API.Watch(kind, o)
	if err != nil {
		return nil, err
	}
	s.unsynced++
	s.feeds = append(s.feeds, s.Gate.Feed(s.Process, kind, w, v.deliver))
	return v, nil
}

func (v *View[T]) deliver(ev engine.Event) {
	switch ev.Type {
	case engine.Added, engine.Modified:
		v.put(ev.Revision.Ref().Key(), v.read(ev.Revision))
	case engine.Deleted:
		v.put(ev.Revision.Ref().Key(), nil)
	case engine.Bookmark: // the first one ends the initial state
		if v.synced != nil {
			v.synced()
			v.synced = nil
		}
	}
}

// put replaces an object, or removes it if now is nil.
func (v *View[T]) put(key string, now *T) {
	old := v.objects[key]
	if old == nil && now == nil {
		return
	}
	at, found := slices.BinarySearch(v.keys, key)
	switch {
	case now == nil:
		delete(v.objects, key)
		v.keys = slices.Delete(v.keys, at, at+1)
	case !found:
		v.keys = slices.Insert(v.keys, at, key)
		v.objects[key] = now
	default:
		v.objects[key] = now
	}
	for _, ix := range v.indexes {
		ix.replace(key, old, now)
	}
	if v.handle != nil {
		v.handle(Event[T]{Key: key, Old: old, New: now})
	}
}

// Get is the object of a key; nil if the view has none.
func (v *View[T]) Get(key string) *T { return v.objects[key] }

// List are all objects, sorted by key.
func (v *View[T]) List() []*T {
	out := make([]*T, len(v.keys))
	for i, key := range v.keys {
		out[i] = v.objects[key]
	}
	return out
}

// Index lets By find objects by a value that of gives; "" leaves one out.
func (v *View[T]) Index(name string, of func(*T) string) {
	if v.indexes == nil {
		v.indexes = map[string]*index[T]{}
	}
	ix := &index[T]{of: of, keys: map[string][]string{}}
	for _, key := range v.keys {
		ix.replace(key, nil, v.objects[key])
	}
	v.indexes[name] = ix
}

// By are the objects whose indexed value is value, sorted by key.
func (v *View[T]) By(name, value string) []*T {
	keys := v.indexes[name].keys[value]
	out := make([]*T, len(keys))
	for i, key := range keys {
		out[i] = v.objects[key]
	}
	return out
}

// An index holds the keys of a view by a value, sorted.
type index[T any] struct {
	of   func(*T) string
	keys map[string][]string
}

func (ix *index[T]) replace(key string, old, now *T) {
	var was, is string
	if old != nil {
		was = ix.of(old)
	}
	if now != nil {
		is = ix.of(now)
	}
	if was == is {
		return
	}
	if was != "" {
		ix.keys[was] = slices.DeleteFunc(ix.keys[was], func(k string) bool { return k == key })
	}
	if is != "" {
		at, _ := slices.BinarySearchFunc(ix.keys[is], key, strings.Compare)
		ix.keys[is] = slices.Insert(ix.keys[is], at, key)
	}
}
