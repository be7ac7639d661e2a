package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim/explore"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/wholefile"
)

// Exit codes of explore and merge that mean something else than those of run.
const (
	exitNothing = exitOK         // nothing was found
	exitFound   = exitUnexpected // something was
)

// hunt is the flags of explore.
type hunt struct {
	variant string
	o       explore.Options
	seed    uint64
	bound   time.Duration
	last    time.Duration // --for
	jobs    int
	shard   string
	dir     string
	format  string
	reports outputs
	tree    treeFlags
	// coverage is the folder for what was counted of the code.
	coverage string
}

const endless = 1_000_000_000 // the budget of a search that only time ends

func (a *app) exploreCommand() *cobra.Command {
	var h hunt
	c := &cobra.Command{
		Use:   "explore PATH... --variant V",
		Short: "search for the event orders that break a scenario",
		Long: `explore plays a scenario with perturbed decisions: one at a time, then pairs, then
schedules of PCT, then random ones. It groups what fails by its cause, shrinks one
failure of each, and writes it as a scenario that replays without the search.

After the last perturbation everything has to be right within --bound. What it
finds depends on the seed and the budget, and not on --jobs; a search that --for
ends depends on the machine too.

With --tree it searches in your own source tree, as run takes it; --variant is a
set of patches there: all, none, only-X or without-X.

Exit codes: 0 nothing was found, 1 something was, 2 bad input, 3 a run is
nondeterministic or hung.`,
		Example: `  vmreplay explore scenarios/vmim/live-migration.yaml --variant none --out found
  vmreplay explore scenarios/vmim --variant wake --budget 40000 --jobs 2
  vmreplay explore scenarios/vmim --variant wake --shard 1/4 --format json > 1.json
  vmreplay explore scenarios --variant all --tree ~/portmover --package ./migration \
    --binding binding_test.go --patches 'patches/*.diff' --out found`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, paths []string) error {
			if h.last > 0 && !c.Flags().Changed("budget") {
				h.o.Budget = endless
			}
			return a.explore(&h, paths)
		},
	}
	f := c.Flags()
	f.StringVar(&h.variant, "variant", "", "the variant of the controller, or the set of patches of a tree (required)")
	f.IntVar(&h.o.Budget, "budget", explore.DefaultBudget, "how many schedules are played of each scenario, of all shards together")
	f.DurationVar(&h.last, "for", 0, "end the search of each scenario after this time; without --budget, only then")
	f.BoolVar(&h.o.First, "first", false, "end at the first schedule that fails")
	f.IntVar(&h.o.Depth, "depth", 2, "1: single perturbations; 2: pairs too; also the depth of PCT")
	f.Uint64Var(&h.seed, "seed", 1, "decides all that is random, in the search and in its runs")
	f.DurationVar(&h.bound, "bound", explore.DefaultBound, "virtual time after the last perturbation within which all must be right")
	f.IntVar(&h.jobs, "jobs", runtime.NumCPU(), "how many processes play schedules, four a core at most; the findings are the same")
	f.StringVar(&h.shard, "shard", "1/1", "do the i-th of n equal parts of the work")
	f.StringVar(&h.dir, "out", "", "the folder for the scenarios that are found")
	h.reports.flags(c)
	h.tree.flags(f)
	f.StringVar(&h.coverage, "coverage", "", "an empty folder: tell which blocks of the code no schedule reached; needs the vmreplay of make build-cover")
	f.StringVar(&h.format, "format", "table", "table or json")
	if err := c.MarkFlagRequired("variant"); err != nil {
		panic(err)
	}
	a.volume(f, "do not tell how far the search is, nor which files it wrote", "")
	completeVariants(c)
	completeWords(c, "format", "table", "json")
	c.ValidArgsFunction = completeScenarios
	return c
}

// reportFormat is the way in which searches are reported.
func (a *app) reportFormat(name string) (func(io.Writer, []*explore.Report) error, error) {
	switch name {
	case "table":
		return a.searchTable, nil
	case "json":
		return writeJSON, nil
	}
	return nil, unknown("--format", "format", name, []string{"json", "table"})
}

func (a *app) searchTable(w io.Writer, rs []*explore.Report) error {
	var b strings.Builder
	if err := explore.Table(&b, rs); err != nil {
		return err
	}
	_, err := io.WriteString(w, report.Fit(b.String(), a.tableOptions(false).Width))
	return err
}

func writeJSON(w io.Writer, rs []*explore.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rs)
}

// workersPerCore bounds --jobs: each process costs memory and a second of its core
// before its first schedule, and more of them than cores play no faster.
const workersPerCore = 4

// check finds mistakes in the flags.
func (h *hunt) check() error {
	var err error
	h.o.Shard, h.o.Shards, err = parseShard(h.shard)
	if h.last < 0 {
		err = errors.Join(err, fmt.Errorf("--for: expected a duration of at least 0, found %s", h.last))
	}
	if h.bound <= 0 {
		err = errors.Join(err, fmt.Errorf("--bound: expected more than 0, found %s", h.bound))
	}
	err = errors.Join(err, positive("--budget", h.o.Budget), positive("--depth", h.o.Depth), positive("--jobs", h.jobs))
	h.jobs = min(h.jobs, h.o.Budget, workersPerCore*runtime.NumCPU())
	return err
}

// prepare finds, before hours are spent, what would keep the findings and the
// reports from being written.
func (h *hunt) prepare() error {
	if h.dir != "" {
		if err := wholefile.CheckFolder(h.dir); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return h.reports.prepare()
}

func parseShard(s string) (i, n int, err error) {
	part, all, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(part)
	n, err2 := strconv.Atoi(all)
	if err1 != nil || err2 != nil || n < 1 || i < 1 || i > n {
		return 0, 0, fmt.Errorf("--shard: expected i/n with i from 1 to n, found %q", s)
	}
	return i, n, nil
}

// explore searches from one scenario after the other.
func (a *app) explore(h *hunt, paths []string) error {
	write, err := a.reportFormat(h.format)
	if err != nil {
		return err
	}
	if err := h.check(); err != nil {
		return err
	}
	if err := counted(h.coverage); err != nil {
		return err
	}
	starts, done, err := h.starts(paths)
	if err != nil {
		return err
	}
	defer done()
	if err := h.prepare(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var reports []*explore.Report
	var runs []page.Run
	var unwritten error
	for _, s := range starts {
		r, err := a.searchFrom(ctx, s, h)
		if r == nil {
			return err
		}
		unwritten = errors.Join(unwritten, err)
		reports = append(reports, r)
		if len(h.reports.set) > 0 {
			runs = append(runs, a.findingRuns(s, h, r)...)
		}
		if ctx.Err() != nil || (h.o.First && len(r.Findings) > 0) {
			break
		}
	}
	told, err := a.write(&h.reports, runs)
	unwritten = errors.Join(unwritten, err)
	code := conclude(a.out, reports, write)
	told()
	if h.dir == "" && !a.quiet && slices.ContainsFunc(reports, func(r *explore.Report) bool { return len(r.Findings) > 0 }) {
		fmt.Fprintln(a.err, "with --out DIR each finding becomes a scenario, and the command that repeats it is told")
	}
	// The report is out by now: what was searched for hours is not lost.
	if err := errors.Join(unwritten, a.cover(h)); err != nil {
		return err
	}
	return code
}

// cover reports what was counted of the code, beside a report that programs read.
func (a *app) cover(h *hunt) error {
	switch {
	case h.coverage == "":
		return nil
	case h.format == "table":
		return writeCoverage(a.out, h.coverage)
	}
	return writeCoverage(a.err, h.coverage)
}

// conclude writes the reports and chooses the exit code.
func conclude(w io.Writer, reports []*explore.Report, write func(io.Writer, []*explore.Report) error) error {
	if err := write(w, reports); err != nil {
		return err
	}
	code := exitNothing
	for _, r := range reports {
		switch {
		case len(r.NoVerdict) > 0:
			code = exitNoVerdict
		case len(r.Findings) > 0 && code == exitNothing:
			code = exitFound
		}
	}
	if code == exitNothing {
		return nil
	}
	return exit(code)
}

// searchFrom searches from one scenario, and writes what it finds. If only that
// fails, there are a report and an error.
func (a *app) searchFrom(ctx context.Context, s start, h *hunt) (*explore.Report, error) {
	setting := explore.Setting{Story: s.story, Variant: h.variant, Seed: h.seed, Bound: h.bound, Tree: s.tree}
	if s.story.Seed != nil {
		setting.Seed = *s.story.Seed
	}
	player, err := explore.NewPlayer(a.t, setting)
	if err != nil {
		return nil, err
	}
	runner, end, err := a.runner(h, player)
	if err != nil {
		return nil, err
	}
	defer end()
	if h.last > 0 {
		timed, cancel := context.WithTimeout(ctx, h.last)
		defer cancel()
		ctx = timed
	}
	meter := a.meter(s.story.Metadata.Name, h.last)
	o := h.o
	o.Progress = meter.show
	search := explore.NewSearch(player, runner, o)
	report, err := search.Do(ctx)
	meter.end()
	if err != nil {
		a.fail(err)
		return nil, exit(exitNoVerdict)
	}
	if h.dir == "" {
		return report, nil
	}
	for i := range report.Findings {
		if err := search.Write(&report.Findings[i], s.source, h.dir); err != nil {
			return report, err
		}
	}
	return report, nil
}

// runner plays the schedules of a search beside its player: in several processes,
// if it may. end is to be called when it is over.
func (a *app) runner(h *hunt, p *explore.Player) (runner explore.Runner, end func(), err error) {
	switch {
	case h.jobs == 1:
		return p, func() {}, nil
	case p.Tree != nil:
		return explore.NewTeam(h.jobs, p), func() {}, nil
	}
	pool, err := explore.NewPool(h.jobs, explore.Task{Path: p.Story.Pos.File, Variant: p.Variant, Seed: p.Seed, Bound: p.Bound}, func() (*exec.Cmd, error) {
		return workerCommand(h.coverage)
	})
	if err != nil {
		return nil, nil, err
	}
	if h.coverage == "" {
		return pool, pool.Close, nil
	}
	return pool, func() {
		if err := pool.Finish(); err != nil {
			fmt.Fprintln(a.err, "a worker process has not told what it counted:", err)
		}
	}, nil
}
