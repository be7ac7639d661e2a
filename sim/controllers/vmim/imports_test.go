package vmim

import (
	"os/exec"
	"strings"
	"testing"
)

// TestKnowsNothingOfTheSimulator: the controller is ordinary code.
func TestKnowsNothingOfTheSimulator(t *testing.T) {
	const module = "github.com/vmreplay/vmreplay/"
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list -deps: %v\n%s", err, out)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if strings.HasPrefix(pkg, module) && pkg != module+"sim/controllers/vmim" {
			t.Errorf("the package depends on %s; it may depend on no package of this module", pkg)
		}
	}
}
