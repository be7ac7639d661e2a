// Command vmreplay replays the event orders that break Kubernetes VM controllers
// and prints the verdicts. `vmreplay --help` is its manual.
//
// It runs controllers in a testing/synctest bubble, and a bubble needs a test:
// so the program is the body of the one test that package testing is given.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// How much the heap may grow before it is collected, in percent. A run allocates
// some megabytes and keeps next to nothing, so rare collections cost memory and
// save time: 400 makes runs about a seventh faster than Go's 100, and 800 another
// twentieth. A search is for hours, in several processes at a time, and stays with
// the former; a pack is soon over.
const (
	heapGrowth     = 400
	packHeapGrowth = 800
)

// growHeap sets the growth, unless the user did, in the environment.
func growHeap(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func main() {
	growHeap(heapGrowth)
	sideBySide(1)
	args := os.Args[1:]
	os.Args = os.Args[:1] // testing parses its own flags, of which there are none
	program := func(t *testing.T) {
		app := &app{t: t, out: os.Stdout, err: os.Stderr}
		os.Exit(app.main(args))
	}
	testing.Main(
		func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "vmreplay", F: program}}, nil, nil,
	)
}

// sideBySide gives the program as many threads as runs go on at a time. In a run
// one goroutine works while all others wait; more threads only pass it around
// between the cores, which makes runs about a fifth slower.
func sideBySide(runs int) {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(min(runs, runtime.NumCPU()))
	}
}
