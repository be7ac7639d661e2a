package apiserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Transport serves clients directly, without a gate or a socket: requests are
// answered at once, and watch events wait in memory until they are read. It is
// safe for concurrent use; direct access to the server at the same time is not,
// except within Locked.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ server *Server }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	request, err := newRequest(r)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	response := t.server.Serve(request)
	answered := &http.Response{
		Status:     strconv.Itoa(response.Status) + " " + http.StatusText(response.Status),
		StatusCode: response.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{},
		Request: r,
	}
	for k, v := range response.Header {
		answered.Header.Set(k, v)
	}
	if response.Watch == nil {
		answered.ContentLength = int64(len(response.Body))
		answered.Body = io.NopCloser(bytes.NewReader(response.Body))
		return answered, nil
	}
	answered.ContentLength = -1
	answered.Body = t.open(r.Context(), response.Watch)
	return answered, nil
}

func newRequest(r *http.Request) (*engine.Request, error) {
	request := &engine.Request{Method: r.Method, Path: r.URL.RequestURI(), Header: make(map[string]string, len(r.Header))}
	for k := range r.Header {
		request.Header[k] = r.Header.Get(k)
	}
	if r.Body == nil {
		return request, nil
	}
	body, err := io.ReadAll(r.Body)
	request.Body = body
	return request, errors.Join(err, r.Body.Close())
}

// open starts a watch; the server is locked.
func (t transport) open(ctx context.Context, w engine.Watch) io.ReadCloser {
	b := &watchBody{ctx: ctx, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w.Open(func(e engine.Event) { b.append(e.Frame(), e.Type == engine.Error) })
	b.stop = func() {
		t.server.mu.Lock()
		defer t.server.mu.Unlock()
		w.Close()
	}
	return b
}

// A watchBody is the body of a watch: what is sent waits in it for the reader.
type watchBody struct {
	ctx  context.Context
	wake chan struct{} // holds a token if there is something new
	done chan struct{} // closed by Close
	stop func()
	once sync.Once

	mu      sync.Mutex
	pending []byte
	ended   bool // nothing follows what is pending
}

func (b *watchBody) append(frame []byte, last bool) {
	b.mu.Lock()
	b.pending = append(b.pending, frame...)
	b.ended = b.ended || last
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Read waits for an event. It ends with the request's context, with Close, and
// after an ERROR event.
func (b *watchBody) Read(p []byte) (int, error) {
	for {
		if n, ended := b.take(p); n > 0 || len(p) == 0 {
			return n, nil
		} else if ended {
			return 0, io.EOF
		}
		select {
		case <-b.wake:
		case <-b.done:
			return 0, http.ErrBodyReadAfterClose
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
}

func (b *watchBody) take(p []byte) (n int, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, b.ended && len(b.pending) == 0
}

func (b *watchBody) Close() error {
	b.once.Do(func() {
		close(b.done)
		b.stop()
	})
	return nil
}
