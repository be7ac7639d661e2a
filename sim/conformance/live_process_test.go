//go:build conformance

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// A liveProcess is a controller that is an ordinary client of a real server. It
// implements lockstep.Host: what it does is written down, and nothing waits.
type liveProcess struct {
	host   *liveHost
	name   string
	ctx    context.Context //nolint:containedctx // it is the process' life
	cancel context.CancelFunc
	dead   atomic.Bool
	done   chan struct{}
}

func startLive(h *liveHost, name string, args []string) *liveProcess {
	p := &liveProcess{host: h, name: name, done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(h.api.ctx)
	go func() {
		defer close(p.done)
		err := h.programs[name](p.ctx, lockstep.NewEnv(name, args, p))
		exit := lockstep.Arrival{Kind: lockstep.Exit}
		if err != nil {
			exit.Text = err.Error()
		}
		p.tell(exit)
	}()
	return p
}

func (p *liveProcess) stop() {
	p.dead.Store(true)
	p.cancel()
}

func (p *liveProcess) tell(a lockstep.Arrival) {
	a.Process = p.name
	if !p.dead.Load() {
		p.host.tell(a)
	}
}

// Note implements lockstep.Host.
func (p *liveProcess) Note(source, op, key, text string) {
	p.tell(lockstep.Arrival{Kind: lockstep.Note, Source: source, Op: op, Key: key, Text: text})
}

var errDead = errors.New("the process was killed")

// Call implements lockstep.Host: the other systems are in the run's memory.
func (p *liveProcess) Call(ctx context.Context, system, op string, args []string) ([]byte, error) {
	if p.dead.Load() {
		return nil, errDead
	}
	answer := p.host.ask(lockstep.Arrival{Kind: lockstep.Call, Process: p.name, System: system, Op: op, Args: args})
	select {
	case a := <-answer:
		if a.Error != "" {
			return nil, errors.New(a.Error)
		}
		return a.Body, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.ctx.Done():
		return nil, errDead
	}
}

// Transport implements lockstep.Host: it leads to the real server.
func (p *liveProcess) Transport() http.RoundTripper { return liveTransport{p} }

type liveTransport struct{ p *liveProcess }

// RoundTrip implements http.RoundTripper.
func (t liveTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.p.dead.Load() {
		return nil, errDead
	}
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	context.AfterFunc(t.p.ctx, cancel) // the connections of a killed process break
	out := req.Clone(ctx)
	if out.URL, err = t.target(req.URL); err != nil {
		cancel()
		return nil, err
	}
	out.Host, out.Body = "", io.NopCloser(bytes.NewReader(body))
	resp, err := t.p.host.api.pair.transport.RoundTrip(out)
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &endingBody{resp.Body, cancel}
	return resp, t.record(req, body, resp)
}

func (t liveTransport) target(from *url.URL) (*url.URL, error) {
	to, err := url.Parse(t.p.host.api.pair.config.Host)
	if err != nil {
		return nil, err
	}
	to.Path, to.RawPath, to.RawQuery = from.Path, from.RawPath, from.RawQuery
	return to, nil
}

func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}

type endingBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *endingBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// record writes a request and how it went into the trace.
func (t liveTransport) record(req *http.Request, body []byte, resp *http.Response) error {
	text := strconv.Itoa(resp.StatusCode)
	if resp.StatusCode >= http.StatusBadRequest {
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		var status metav1.Status
		if json.Unmarshal(answer, &status) == nil {
			text += " " + string(status.Reason)
		}
		resp.Body = &endingBody{io.NopCloser(bytes.NewReader(answer)), resp.Body.(*endingBody).cancel}
	}
	asked := &engine.Request{Process: t.p.name, Method: req.Method, Path: req.URL.RequestURI(), Body: body,
		Header: map[string]string{"Content-Type": req.Header.Get("Content-Type")}}
	if !t.p.dead.Load() {
		t.p.host.post(func() { t.p.host.asked(asked, text) })
	}
	return nil
}

// asked makes a request of a process a step of the run.
func (h *liveHost) asked(r *engine.Request, outcome string) {
	info := h.api.Describe(r)
	p := engine.Point{Process: r.Process, Verb: info.Verb, Kind: info.Kind, Detail: info.Subresource,
		Object: engine.Ref{Namespace: info.Namespace, Name: info.Name}.Key()}
	switch {
	case info.Kind == "":
		p.Object = r.Path
	case info.Name == "":
		p.Object = info.Namespace
	}
	h.world.Engine.After(p, 0, func() engine.Outcome { return engine.Outcome{Text: outcome} })
}
