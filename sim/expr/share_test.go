package expr

import (
	"sync"
	"testing"
)

func TestProgramsAreSharedBetweenGoroutines(t *testing.T) {
	env := testEnv(t)
	p, err := env.Compile(`pods().exists(p, p.status.phase == vmim("default/migration").status.phase)`)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, phase := range []string{"Running", "Pending", "Failed", "Scheduling"} {
		group.Go(func() {
			world := testWorld()
			world["VirtualMachineInstanceMigration"]["default/migration"]["status"] = m{"phase": phase}
			want := phase == "Running" || phase == "Pending"
			for range 200 {
				if got, err := p.Eval(world); got != want || err != nil {
					t.Errorf("%s: got %v (%v), want %v", phase, got, err, want)
				}
			}
			if _, err := env.Compile(`node("node-a").spec.unschedulable`); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
