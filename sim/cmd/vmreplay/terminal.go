package main

import (
	"io"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/vmreplay/vmreplay/sim/report"
)

// What the flags of the volume do where runs are judged.
const (
	quietRuns   = "print only what is not as expected, and the sum"
	verboseRuns = "also explain the failures that were expected"
)

// volume are the flags that say how much is told: every command that runs or
// checks something has --quiet, and those that have more to say have --verbose.
func (a *app) volume(f *pflag.FlagSet, quiet, verbose string) {
	f.BoolVarP(&a.quiet, "quiet", "q", false, quiet)
	if verbose != "" {
		f.BoolVarP(&a.verbose, "verbose", "v", false, verbose)
	}
}

// table writes results for a person.
func (a *app) table(verbose bool) func(io.Writer, []report.Result) error {
	return func(w io.Writer, rs []report.Result) error { return report.Table(w, rs, a.tableOptions(verbose)) }
}

// tableOptions fits tables to the terminal; elsewhere they are as wide as they
// are, and never coloured.
func (a *app) tableOptions(verbose bool) report.TableOptions {
	o := report.TableOptions{Verbose: verbose, Quiet: a.quiet}
	f, ok := a.out.(*output).Writer.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	_, plain := os.LookupEnv("NO_COLOR")
	o.Colour = !plain && os.Getenv("TERM") != "dumb"
	return o
}
