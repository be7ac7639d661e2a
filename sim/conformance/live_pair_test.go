//go:build conformance

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A pair is a real kube-apiserver with its etcd, for one run after another.
type pair struct {
	config    *rest.Config
	transport http.RoundTripper
	client    *http.Client
	etcd      *clientv3.Client
}

// newPair starts a pair that ends with the test.
func newPair(tb testing.TB) *pair {
	tb.Helper()
	env, config := start(tb, func(env *envtest.Environment) {
		env.CRDDirectoryPaths = append(env.CRDDirectoryPaths, filepath.Dir(crdFolder))
		// Objects are put into etcd and read from its history: in JSON they can be.
		env.ControlPlane.APIServer.Configure().Append("storage-media-type", jsonType)
	})
	p := &pair{config: rest.CopyConfig(config)}
	p.config.QPS, p.config.Host = -1, strings.TrimSuffix(config.Host, "/")
	var err error
	if p.transport, err = rest.TransportFor(p.config); err != nil {
		tb.Fatal(err)
	}
	p.client = &http.Client{Transport: p.transport}
	p.etcd, err = clientv3.New(clientv3.Config{Endpoints: []string{env.ControlPlane.Etcd.URL.String()}, Context: tb.Context()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = p.etcd.Close() }) // the context of the test is over: closing says so
	return p
}

// clear takes away all objects that a story may have made, whatever their
// finalizers, and waits until the API server's caches have noticed. It returns
// the revision from which the history is the next run's.
func (p *pair) clear(ctx context.Context) (int64, error) {
	k := storyKinds()
	var from int64
	for _, kind := range k.served() {
		gone, err := p.etcd.Delete(ctx, k.prefix(kind), clientv3.WithPrefix())
		if err != nil {
			return 0, err
		}
		from = max(from, gone.Header.Revision+1)
	}
	for _, kind := range k.served() {
		if err := p.emptied(ctx, k.path(engine.Ref{Kind: kind}, "")); err != nil {
			return 0, err
		}
	}
	return from, nil
}

// emptied asks for a list that is as new as etcd's last write, which the API
// server answers when its cache is.
func (p *pair) emptied(ctx context.Context, path string) error {
	for {
		code, n, err := p.count(ctx, path)
		switch {
		case code == http.StatusTooManyRequests: // the cache of a new kind is not there yet
			time.Sleep(100 * time.Millisecond)
		case code == http.StatusOK && err == nil && n == 0:
			return nil
		default:
			return fmt.Errorf("GET %s: want an empty list, found status %d, %d objects, error %w", path, code, n, err)
		}
	}
}

// count lists a kind.
func (p *pair) count(ctx context.Context, path string) (code, n int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.config.Host+path, nil)
	if err != nil {
		return 0, 0, err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	var list struct{ Items []any }
	if resp.StatusCode == http.StatusOK {
		err = json.NewDecoder(resp.Body).Decode(&list)
	}
	return resp.StatusCode, len(list.Items), err
}
