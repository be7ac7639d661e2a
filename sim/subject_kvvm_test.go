package sim

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// TestBadVirtualMachines: the API server answers as one with the CRDs does.
func TestBadVirtualMachines(t *testing.T) {
	const path = "/apis/virtualization.deckhouse.io/v1alpha2/namespaces/default/virtualmachines"
	for _, c := range []struct {
		name, spec string
		status     int
		want       []string
	}{
		{"right", `{"virtualMachineClassName":"generic","cpu":{"cores":1},"memory":{"size":"1Gi"}}`, http.StatusCreated,
			[]string{`"runPolicy":"AlwaysOnUnlessStoppedManually"`, `"terminationGracePeriodSeconds":60`}},
		{"unknown run policy", `{"runPolicy":"Sometimes","virtualMachineClassName":"generic","cpu":{"cores":1},"memory":{"size":"1Gi"}}`,
			http.StatusUnprocessableEntity, []string{`spec.runPolicy`, `Sometimes`}},
		{"malformed affinity", `{"affinity":"near","virtualMachineClassName":"generic","cpu":{"cores":1},"memory":{"size":"1Gi"}}`,
			http.StatusUnprocessableEntity, []string{`spec.affinity`}},
		{"no class, no cores", `{"virtualMachineClassName":"","cpu":{"cores":0},"memory":{"size":"1Gi"}}`,
			http.StatusUnprocessableEntity, []string{`spec.virtualMachineClassName`, `spec.cpu.cores`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := apiserver.New(apiserver.Options{Resources: resources()})
			answer := s.Serve(&engine.Request{Method: http.MethodPost, Path: path, Header: map[string]string{"Content-Type": "application/json"},
				Body: []byte(`{"apiVersion":"virtualization.deckhouse.io/v1alpha2","kind":"VirtualMachine","metadata":{"name":"vm"},"spec":` + c.spec + `}`)})
			if answer.Status != c.status {
				t.Errorf("status %d, want %d: %s", answer.Status, c.status, answer.Body)
			}
			for _, w := range c.want {
				if !strings.Contains(string(answer.Body), w) {
					t.Errorf("%q is not in the answer: %s", w, answer.Body)
				}
			}
		})
	}
}
