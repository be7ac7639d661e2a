package lockstep

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

// transport is the gate as an http.RoundTripper.
type transport struct{ process *process }

// sent are the header fields that change an answer; the rest stays behind.
var sent = []string{"Accept", "Content-Type"}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a := Arrival{Kind: Request, Method: r.Method, Path: stable(r.URL.RequestURI()), Header: make(map[string]string, len(sent))}
	for _, name := range sent {
		if v := r.Header.Get(name); v != "" {
			a.Header[name] = v
		}
	}
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		a.Body = b
	}
	x := newExchange(t.process)
	x.body = newBody(r.Context(), x)
	if err := t.process.post(a, x); err != nil {
		return nil, err
	}
	answer, err := x.wait(r.Context())
	if err != nil {
		return nil, err
	}
	return respond(r, answer, x)
}

// stable is a path without the one query parameter that client-go draws at
// random: how long it wants a watch to last. Arrivals are sorted by path.
func stable(path string) string {
	before, after, ok := strings.Cut(path, "timeoutSeconds=")
	if !ok {
		return path
	}
	after = strings.TrimLeft(after, "0123456789")
	if rest, more := strings.CutPrefix(after, "&"); more {
		return before + rest
	}
	return strings.TrimRight(before, "?&") + after
}

func respond(r *http.Request, a Action, x *exchange) (*http.Response, error) {
	if a.Kind == Fail {
		return nil, errors.New(a.Error)
	}
	resp := &http.Response{
		StatusCode: a.Status, Status: http.StatusText(a.Status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(a.Header)), Request: r, ContentLength: -1,
	}
	for k, v := range a.Header {
		resp.Header[http.CanonicalHeaderKey(k)] = []string{v}
	}
	if a.Kind == Open {
		resp.Body = x.body
		return resp, nil
	}
	resp.ContentLength = int64(len(a.Body))
	resp.Body = io.NopCloser(bytes.NewReader(a.Body))
	return resp, nil
}
