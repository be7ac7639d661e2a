package conformance

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/apiserver/crd"
)

// crdFolder is where the CRDs of KubeVirt are, for both servers.
const crdFolder = "../../fixtures/crds/kubevirt"

// wall is a clock that shows the time of day, so that timestamps of both servers
// mean the same.
type wall struct{ start time.Time }

func (w wall) Elapsed() time.Duration { return time.Since(w.start) }
func (w wall) Wall() time.Time        { return time.Now() }

// simulated is our server.
func simulated(tb testing.TB) *server {
	tb.Helper()
	defined, err := crd.ReadFolder(crdFolder)
	if err != nil {
		tb.Fatal(err)
	}
	resources := append(apiserver.Builtin(), crd.Merge(apiserver.KubeVirt(), defined)...)
	s := apiserver.New(apiserver.Options{Clock: wall{time.Now()}, Seed: 1, Resources: resources})
	if _, err := s.Create(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "default"}}); err != nil {
		tb.Fatal(err)
	}
	return &server{
		name:   "simulated",
		config: &rest.Config{Host: "http://simulated", Transport: s.Transport()},
		compact: func(kind string) {
			s.Locked(func() {
				if err := s.Compact(kind); err != nil {
					tb.Fatal(err)
				}
			})
		},
	}
}
