// Command vmreplay replays the event orders that break Kubernetes VM controllers
// and prints the verdicts. `vmreplay --help` is its manual.
//
// It runs controllers in a testing/synctest bubble, and a bubble needs a test:
// so the program is the body of the one test that package testing is given.
package main

import (
	"os"
	"testing"
)

func main() {
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
