package lockstep

import "math/rand"

// seedGlobal makes math/rand's top-level functions repeat from run to run. The
// source is one for the whole process: runs that go on side by side and draw
// from it can disturb each other, so a search gives each worker a process.
func seedGlobal(seed uint64) {
	//nolint:staticcheck // there is no other way to reach what libraries draw from
	rand.Seed(int64(seed))
}
