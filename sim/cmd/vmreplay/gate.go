package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim/gate"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/wholefile"
)

// gateFlags are the flags of the command gate.
type gateFlags struct {
	tree           treeFlags
	scenarios      []string
	variants       []string
	inert          []string
	format, output string
	seed           uint64
	jobs           int
	reports        outputs
}

func (a *app) gateCommand() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate --tree DIR --binding FILE --scenarios PATH",
		Short: "run the scenarios on your own source tree and print which patch owns which case",
		Long: `gate checks a series of patches over a controller's source tree, runs the
scenarios with all of the patches, with none, with each alone and with each left
out, and prints which patch owns which case. It fails if a patch changes no
verdict, if a control turns red, or if a verdict differs from the one written
down.

The tree is only read. Its test binaries are built with go test -c -overlay, with
the tree's own go.mod, flags and vendor folder, and kept in the user's cache until
an input changes.

Before anything is built: the patches apply in one git apply in the order of their
names, each passes git apply --check --whitespace=error, and one whose message has
the trailer "Upstream-Commit: ID" is, byte for byte, the diff in the file beside it
with the ending .upstream.

A scenario for a tree has controllers of type tree. Its verdicts name sets of
patches: all, none, only-X, without-X, where X is a patch's file name without
number and ending. "red: {without-X: [check]}" holds for every set without X. With
--as SET=VARIANT, the scenarios of a built-in controller are run on the tree, too,
and judged as that variant is.

Exit codes: 0 the gate is open, 1 it is closed, 2 bad input, a patch that does not
apply, or a tree that does not compile, 3 a run is nondeterministic or hung.`,
		Example: `  vmreplay gate --tree ~/portmover --package ./migration --binding binding_test.go \
    --patches 'patches/*.diff' --scenarios scenarios --allow-inert name-the-phase`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.gate(&f) },
	}
	f.tree.flags(c.Flags())
	c.Flags().StringArrayVar(&f.scenarios, "scenarios", nil, "a scenario file or a folder with such files; may be repeated")
	c.Flags().StringSliceVar(&f.variants, "variants", gate.Kinds(), "which sets of patches to run")
	c.Flags().StringSliceVar(&f.inert, "allow-inert", nil, "patches that may change no verdict, such as pure refactorings")
	c.Flags().StringVar(&f.format, "format", "table", "table, json, junit or markdown")
	c.Flags().StringVar(&f.output, "out", "", "write the report to this file, and not to standard output")
	f.reports.flags(c)
	a.volume(c.Flags(), quietRuns, verboseRuns)
	c.Flags().Uint64Var(&f.seed, "seed", 1, "decides all that is random in a run")
	c.Flags().IntVar(&f.jobs, "jobs", 1, "how many runs go on side by side; the results are the same")
	completeWords(c, "format", "table", "json", "junit", "markdown")
	completeWords(c, "variants", gate.Kinds()...)
	return c
}

func (a *app) gate(f *gateFlags) error {
	write, err := a.gateWriter(f.format)
	if err != nil {
		return err
	}
	if err := positive("--jobs", f.jobs); err != nil {
		return err
	}
	if len(f.scenarios) == 0 {
		return fmt.Errorf("--scenarios: expected the scenarios of the tree, found none: the built-in ones are those of the built-in controllers")
	}
	if err := f.prepare(); err != nil {
		return err
	}
	subject, err := f.tree.open(f.variants)
	if err != nil {
		return err
	}
	defer subject.Close()
	cells, err := f.tree.cells(subject, subject.Sets, f.scenarios)
	if err != nil {
		return err
	}
	runs := a.playCells(cells, f.seed, 1, f.jobs, &f.reports)
	ownership, err := subject.Judge(results(runs), controls(cells), f.inert)
	if err != nil {
		return err
	}
	for _, r := range ownership.Inert() {
		runs = append(runs, page.Run{Result: r})
	}
	told, unwritten := a.write(&f.reports, runs)
	if err := a.emit(f.output, func(w io.Writer) error { return write(w, ownership) }); err != nil {
		return errors.Join(err, unwritten)
	}
	told()
	if unwritten != nil {
		return unwritten
	}
	return verdictOf(ownership)
}

// prepare finds, before anything is built, what would keep the reports from being
// written.
func (f *gateFlags) prepare() error {
	if f.output != "" {
		if err := wholefile.Check(f.output); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return f.reports.prepare()
}

// controls are the names of the scenarios that are controls.
func controls(cells []cell) []string {
	var names []string
	for _, c := range cells {
		if c.story.Metadata.Control {
			names = append(names, c.story.Metadata.Name)
		}
	}
	return slices.Compact(names)
}

// ownership writes the matrix, what each patch owns and what is wrong; and why
// the runs failed, if that is asked for.
func (a *app) ownership(w io.Writer, owned *gate.Ownership) error {
	o := a.tableOptions(a.verbose)
	if err := owned.Table(w, o); err != nil || !a.verbose {
		return err
	}
	return report.Explain(w, owned.Results, o)
}

func (a *app) gateWriter(format string) (func(io.Writer, *gate.Ownership) error, error) {
	known := map[string]func(io.Writer, *gate.Ownership) error{
		"table":    a.ownership,
		"json":     func(w io.Writer, o *gate.Ownership) error { return o.JSON(w) },
		"junit":    func(w io.Writer, o *gate.Ownership) error { return o.JUnit(w) },
		"markdown": func(w io.Writer, o *gate.Ownership) error { return o.Markdown(w) },
	}
	if w, ok := known[format]; ok {
		return w, nil
	}
	return nil, unknown("--format", "format", format, []string{"json", "junit", "markdown", "table"})
}

// emit writes a report to a file, or to standard output if there is none.
func (a *app) emit(file string, write func(io.Writer) error) error {
	if file == "" {
		return write(a.out)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := wholefile.Replace(file, b.Bytes()); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func verdictOf(o *gate.Ownership) error {
	for _, r := range o.Results {
		if r.Status == report.Hung || r.Status == report.Nondeterministic {
			return exit(exitNoVerdict)
		}
	}
	if !o.OK() {
		return exit(exitUnexpected)
	}
	return nil
}
