package apiserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func get(ctx context.Context, t *testing.T, s *Server, path string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://simulated"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.Transport().RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestTransportStreams(t *testing.T) {
	s, _ := newTestServer(t)
	response := get(t.Context(), t, s, "/api/v1/pods?watch=true")
	lines := bufio.NewScanner(response.Body)
	s.Locked(func() { mustCreate(t, s, podNamed("a")) })
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"type":"ADDED"`) {
		t.Errorf("want an ADDED event, got %q, %v", lines.Text(), lines.Err())
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	s.Locked(func() {
		if n := len(s.stores[s.catalog.byKind["Pod"].index].watches); n != 0 {
			t.Errorf("after Close: want no watch left, got %d", n)
		}
	})
	if _, err := response.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("reading after Close: got %v", err)
	}
}

func TestTransportEnds(t *testing.T) {
	s, _ := newTestServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	response := get(ctx, t, s, "/api/v1/pods?watch=true")
	cancel()
	if _, err := response.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: want %v, got %v", context.Canceled, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://simulated/api", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Transport().RoundTrip(request); !errors.Is(err, context.Canceled) {
		t.Errorf("a request of a cancelled context: want %v, got %v", context.Canceled, err)
	}

	s.Locked(func() {
		watchWorld(t, s)
		if err := s.Compact("ConfigMap"); err != nil {
			t.Error(err)
		}
	})
	body, err := io.ReadAll(get(t.Context(), t, s, "/api/v1/configmaps?watch=true&resourceVersion=2").Body)
	if err != nil || !strings.Contains(string(body), `"code":410`) {
		t.Errorf("a watch from too long ago: want 410 and the end, got %s, %v", body, err)
	}
}

func TestTransportIsSafeForConcurrentUse(t *testing.T) {
	s, _ := newTestServer(t)
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			watch := get(t.Context(), t, s, "/api/v1/pods?watch=true&resourceVersion=1")
			for range 20 {
				request, err := http.NewRequest(http.MethodPost, "http://simulated/api/v1/namespaces/default/pods", strings.NewReader(`{"metadata":{"generateName":"p-"}}`))
				if err != nil {
					t.Error(err)
					return
				}
				response, err := s.Transport().RoundTrip(request)
				if err != nil || response.StatusCode != http.StatusCreated {
					t.Errorf("want 201, got %v, %v", response, err)
					return
				}
			}
			lines := bufio.NewScanner(watch.Body)
			for range 20 {
				if !lines.Scan() {
					t.Error("the watch ended")
				}
			}
			if err := watch.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	s.Locked(func() {
		if got := len(s.List("Pod", "")); got != 80 {
			t.Errorf("want 80 pods, got %d", got)
		}
	})
}
