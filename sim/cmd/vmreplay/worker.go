package main

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/explore"
)

// workerName is the command that this program runs itself by, to play schedules
// in several processes.
const workerName = "explore-worker"

func (a *app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerName,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return explore.Serve(a.t, os.Stdin, a.out, func(path string) (*sim.Story, error) {
				stories, err := load([]string{path})
				if err != nil {
					return nil, err
				}
				return stories[0], nil
			})
		},
	}
}

// workerCommand makes the command of one worker, which leaves what it counts in a
// folder, if there is one.
func workerCommand(coverage string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, workerName)
	// A group of its own: a signal to the terminal's group is for the parent, which
	// reports what its workers have done until then.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if coverage != "" {
		cmd.Env = append(os.Environ(), "GOCOVERDIR="+coverage)
	}
	return cmd, nil
}
