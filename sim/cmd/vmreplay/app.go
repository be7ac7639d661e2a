package main

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK         = 0 // every verdict is as it is written down
	exitUnexpected = 1 // a verdict differs from the one written down
	exitBadInput   = 2 // bad input or usage; nothing was run
	exitNoVerdict  = 3 // a run is nondeterministic or hung
)

// An app is one call of the command.
type app struct {
	t        *testing.T
	out, err io.Writer
	quiet    bool // say only what went otherwise than written down
	verbose  bool // explain the failures that were expected too
}

// An exit ends the command with a code, without a message of its own.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// main runs the command line and returns the exit code.
func (a *app) main(args []string) int {
	out := &output{Writer: a.out}
	a.out = out
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	err := root.Execute()
	var code exit
	judged := err == nil || errors.As(err, &code)
	switch {
	case judged && out.failed != nil:
		err = out.failed
	case judged:
		return int(code)
	}
	a.fail(err)
	return exitBadInput
}

const manual = `vmreplay runs the real code of Kubernetes VM controllers against a simulated
cluster in virtual time. Every API request and every watch event waits until the
simulation grants it, so a run is a pure function of scenario, variant and seed.

PATH is a scenario file, or a folder with such files; without one, the scenarios
that are built in are used. A scenario says what is there, what happens, what
must hold, and which variant of its controller is expected to fail.

Exit codes: 0 all verdicts are as written down, 1 one differs, 2 bad input,
3 a run is nondeterministic or hung.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "vmreplay",
		Short:         "replay the event orders that break Kubernetes VM controllers",
		Long:          manual,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          isCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	versionFlag(root)
	root.AddCommand(
		a.runCommand(), a.matrixCommand(), a.showCommand(), a.validateCommand(), a.gateCommand(), a.bindCommand(),
		a.exploreCommand(), a.mergeCommand(), a.workerCommand(), a.explainCommand(), a.newCommand(), a.schemaCommand(), a.watchCommand(), a.versionCommand(),
	)
	return root
}

// isCommand refuses what stands where a command should.
func isCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return unknown("vmreplay", "command", args[0], names)
}
