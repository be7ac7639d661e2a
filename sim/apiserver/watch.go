package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// WatchOptions say what a watch covers and where it starts.
type WatchOptions struct {
	Namespace, LabelSelector, FieldSelector string
	// ResourceVersion is where the watch starts: after that write. With "" or
	// "0" it starts with the present state, as ADDED events sorted by key.
	ResourceVersion string
	// SendInitialEvents starts with the present state in any case.
	SendInitialEvents bool
	// AllowBookmarks asks for BOOKMARK events. One follows the present state,
	// with the annotation k8s.io/initial-events-end.
	AllowBookmarks bool
}

// Watch prepares a watch; Open starts it. If the start is forgotten already, its
// first and only event is an ERROR with the Status 410 Gone.
func (s *Server) Watch(kind string, o WatchOptions) (engine.Watch, error) {
	res, err := s.kind(kind)
	if err != nil {
		return nil, err
	}
	return s.watch(res, o)
}

func (s *Server) watch(res *resource, o WatchOptions) (*watch, error) {
	sel, err := newSelection(res, o.Namespace, o.LabelSelector, o.FieldSelector)
	if err != nil {
		return nil, err
	}
	from, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return nil, plainError(strings.TrimPrefix(err.Error(), "invalid resource version: "))
	}
	w := &watch{server: s, res: res, selection: sel, from: from,
		initial: o.SendInitialEvents || from == 0, bookmarks: o.AllowBookmarks}
	if w.initial && from > s.version {
		return nil, tooLarge(from, s.version)
	}
	return w, nil
}

type watch struct {
	selection
	server    *Server
	res       *resource
	from      uint64 // start after this version
	initial   bool   // start with the present state
	bookmarks bool

	sink   func(engine.Event)
	seen   uint64 // the last write that the watch knows of, sent or not
	closed bool
}

// Open implements engine.Watch.
func (w *watch) Open(sink func(engine.Event)) {
	if w.closed || w.sink != nil {
		return
	}
	w.sink, w.seen = sink, w.server.version
	st := w.server.store(w.res)
	if w.initial {
		w.sendState(st)
	} else if !w.replay(st) {
		w.closed = true
		return
	}
	if !w.closed {
		st.watches = append(slices.Clip(st.watches), w)
	}
}

// Close implements engine.Watch.
func (w *watch) Close() {
	w.closed = true
	st := w.server.store(w.res)
	if i := slices.Index(st.watches, w); i >= 0 {
		// A copy: somebody may be walking over the old list.
		st.watches = slices.Delete(slices.Clone(st.watches), i, i+1)
	}
}

func (w *watch) sendState(st *store) {
	for _, o := range slices.Clone(within(st.objects, w.namespace)) {
		if w.matches(o) {
			w.send(engine.Added, o, nil)
		}
	}
	if w.bookmarks {
		w.sendBookmark(map[string]any{metav1.InitialEventsAnnotationKey: "true"})
	}
}

// replay sends the writes since the start; it fails if they are forgotten.
func (w *watch) replay(st *store) bool {
	records, ok := st.since(w.from)
	if !ok {
		w.expire(st)
		return false
	}
	// A client may know a future that this server has not seen: it gets what
	// comes after that.
	w.seen = max(w.seen, w.from)
	for _, r := range slices.Clone(records) {
		w.filter(r)
	}
	return true
}

func (w *watch) expire(st *store) {
	status := statusOf(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", w.from, st.dropped)))
	frame := []byte(`{"type":"ERROR","object":`)
	frame = append(frame, encodeStatus(status)...)
	frame = append(frame[:len(frame)-1], "}\n"...)
	w.sink(engine.Event{Type: engine.Error, Frame: func() []byte { return frame }})
}

// tell passes a write on, unless the watch saw it when it was opened.
func (w *watch) tell(r record) {
	if r.object.version > w.seen {
		w.seen = r.object.version
		w.filter(r)
	}
}

// filter sends what a write means to this watch: an object that begins to match
// is added, and one that no longer does is deleted, in its last matching state.
func (w *watch) filter(r record) {
	before := r.previous != nil && w.matches(r.previous)
	after := r.eventType != engine.Deleted && w.matches(r.object)
	switch {
	case after && before:
		w.send(engine.Modified, r.object, r.previous)
	case after:
		w.send(engine.Added, r.object, nil)
	case before && r.eventType == engine.Deleted:
		w.send(engine.Deleted, r.object, r.previous)
	case before:
		w.send(engine.Deleted, r.previous.at(r.object.version), r.previous)
	}
}

func (w *watch) send(eventType string, o, previous *Object) {
	if w.closed {
		return
	}
	event := engine.Event{Type: eventType, Revision: o, Frame: func() []byte { return o.watchFrame(eventType) }}
	if previous != nil {
		event.Previous = previous
	}
	w.sink(event)
}

// sendBookmark tells the client how far it is.
func (w *watch) sendBookmark(annotations map[string]any) {
	meta := map[string]any{"resourceVersion": strconv.FormatUint(w.server.version, 10)}
	if annotations != nil {
		meta["annotations"] = annotations
	}
	w.send(engine.Bookmark, &Object{
		res: w.res, ref: engine.Ref{Kind: w.res.key}, version: w.server.version,
		content: map[string]any{"apiVersion": w.res.apiVersion, "kind": w.res.Kind, "metadata": meta},
	}, nil)
}

// SendBookmarks sends a BOOKMARK with the present resourceVersion to every open
// watch of a kind that allows them, as a real server does about once a minute.
// The server has no timer: whoever runs it decides when. An unknown kind is an
// error.
func (s *Server) SendBookmarks(kind string) error {
	res, err := s.kind(kind)
	if err != nil {
		return err
	}
	for _, w := range s.store(res).watches {
		if w.bookmarks {
			w.sendBookmark(nil)
		}
	}
	return nil
}
