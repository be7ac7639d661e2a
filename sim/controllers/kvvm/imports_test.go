package kvvm

import (
	"os/exec"
	"strings"
	"testing"
)

// TestKnowsNothingOfTheSimulator: the controller is ordinary code; of this module it
// may know the API types that it works with.
func TestKnowsNothingOfTheSimulator(t *testing.T) {
	const module = "github.com/vmreplay/vmreplay/"
	allowed := map[string]bool{
		module + "sim/controllers/kvvm":            true,
		module + "sim/api/virtualization/v1alpha2": true,
	}
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list -deps: %v\n%s", err, out)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if strings.HasPrefix(pkg, module) && !allowed[pkg] {
			t.Errorf("the package depends on %s; of this module it may depend on its API types only", pkg)
		}
	}
}
