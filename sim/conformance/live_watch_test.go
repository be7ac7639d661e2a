//go:build conformance

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// liveWatch is a watch of a real server, for the cache of a stand-in: the present
// state as a streamed list, and then every change.
type liveWatch struct {
	api    *liveAPI
	path   string
	ctx    context.Context //nolint:containedctx // it is the watch's life
	cancel context.CancelFunc
}

// Watch implements standin.API.
func (a *liveAPI) Watch(kind string, o apiserver.WatchOptions) (engine.Watch, error) {
	if a.kinds.internal(kind) {
		return a.memory.Watch(kind, o)
	}
	if _, ok := a.kinds[kind]; !ok {
		return nil, fmt.Errorf("kind %q is not served", kind)
	}
	query := url.Values{"watch": {"true"}, "allowWatchBookmarks": {"true"},
		"sendInitialEvents": {"true"}, "resourceVersionMatch": {"NotOlderThan"}}
	for name, value := range map[string]string{"labelSelector": o.LabelSelector, "fieldSelector": o.FieldSelector} {
		if value != "" {
			query.Set(name, value)
		}
	}
	w := &liveWatch{api: a, path: a.kinds.path(engine.Ref{Kind: kind, Namespace: o.Namespace}, "") + "?" + query.Encode()}
	w.ctx, w.cancel = context.WithCancel(a.ctx)
	return w, nil
}

// Open implements engine.Watch.
func (w *liveWatch) Open(sink func(engine.Event)) {
	go func() {
		if err := w.read(sink); err != nil && w.ctx.Err() == nil {
			w.api.host.fail(fmt.Errorf("watch %s: %w", w.path, err))
		}
	}()
}

// Close implements engine.Watch.
func (w *liveWatch) Close() { w.cancel() }

func (w *liveWatch) read(sink func(engine.Event)) error {
	req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.api.pair.config.Host+w.path, nil)
	if err != nil {
		return err
	}
	resp, err := w.api.pair.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := json.NewDecoder(resp.Body)
	for {
		var frame struct {
			Type   string
			Object json.RawMessage
		}
		if err := lines.Decode(&frame); err != nil {
			return err
		}
		content := map[string]any{}
		if err := utiljson.Unmarshal(frame.Object, &content); err != nil {
			return err
		}
		if frame.Type == engine.Error {
			return fmt.Errorf("the server ends it: %s", frame.Object)
		}
		w.api.host.post(func() { w.tell(sink, frame.Type, content) })
	}
}

func (w *liveWatch) tell(sink func(engine.Event), eventType string, content map[string]any) {
	o, err := w.api.memory.Adopt(content)
	if err != nil {
		w.api.host.fail(err)
		return
	}
	if w.ctx.Err() == nil {
		sink(engine.Event{Type: eventType, Revision: o})
	}
}
