package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report/page"
)

// lookEvery is how often the files are looked at. Looking needs no system of
// notifications, and works on every file system.
const lookEvery = 300 * time.Millisecond

func (a *app) watchCommand() *cobra.Command {
	s := selection{}
	var listen string
	c := &cobra.Command{
		Use:   "watch PATH...",
		Short: "replay scenarios whenever their files change, and show the report in a browser",
		Long: `watch replays the scenarios, serves the report on an address of this machine, and
then replays what a saved change touches: a scenario when its file or one of its
fixtures changes. A page that is open shows the new report by itself. A file that
is broken or gone is told, there and in the page, until it is mended. Ctrl-C ends it,
with exit code 0.`,
		Example: `  vmreplay watch scenarios/vmim
  vmreplay watch scenarios/vmim/same-node.yaml --variant none --listen 127.0.0.1:8080`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return a.watch(ctx, paths, &s, listen)
		},
	}
	s.flags(c.Flags())
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "the loopback address to serve the report on; port 0 takes a free one")
	s.complete(c)
	return c
}

func (a *app) watch(ctx context.Context, paths []string, s *selection, listen string) error {
	w := &watcher{app: a, paths: paths, selection: s, known: map[string]played{}}
	w.outputs.set = needsRecords()
	l, err := listenLocal(listen)
	if err != nil {
		return err
	}
	defer l.Close()
	// It is taken before the files are read: what is saved meanwhile counts as
	// changed.
	state := lookAt(w.files())
	if err := w.replay(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	server := &http.Server{Handler: w.board.handler(l.Addr().String()), ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	defer server.Close()
	if _, err := fmt.Fprintf(a.out, "the report is at http://%s/\n", l.Addr()); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-time.After(lookEvery):
		}
		if now := lookAt(w.files()); now != state {
			state = now
			if err := w.replay(ctx); err != nil {
				a.fail(err)
				w.broken = true
				w.board.problem(err.Error())
			}
		}
	}
}

// listenLocal opens an address that only this machine reaches: what scenarios
// hold is nobody else's.
func listenLocal(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen: expected host:port, found %q", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen: expected a loopback address, such as 127.0.0.1:8080, found %q", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	return l, nil
}

// A watcher replays scenarios when they change.
type watcher struct {
	app       *app
	paths     []string
	selection *selection
	outputs   outputs
	known     map[string]played // by the scenario's file
	broken    bool              // the board shows a problem
	stories   []*sim.Story
	board     board
}

// played is what a scenario gave, and what it was made of.
type played struct {
	print string
	runs  []page.Run
}

// replay loads the scenarios and plays those that are not as they were. Once the
// context is over, it leaves everything as it was.
func (w *watcher) replay(ctx context.Context) error {
	stories, err := w.selection.stories(w.paths)
	if err != nil {
		return err
	}
	w.stories = stories
	known := map[string]played{}
	var all []page.Run
	fresh := 0
	for _, story := range stories {
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		now := played{print: fingerprint(story)}
		if old, ok := w.known[story.Pos.File]; ok && old.print == now.print {
			now.runs = old.runs
		} else {
			now.runs = w.app.play([]*sim.Story{story}, w.selection, 1, 1, &w.outputs)
			fresh += len(now.runs)
		}
		known[story.Pos.File] = now
		all = append(all, now.runs...)
	}
	same := fresh == 0 && len(known) == len(w.known) && !w.broken
	w.known, w.broken = known, false
	if same {
		return nil
	}
	surprises := 0
	for _, r := range all {
		if !r.AsExpected() {
			surprises++
		}
	}
	fmt.Fprintf(w.app.out, "%d of %d runs made anew: %d as expected, %d unexpected\n", fresh, len(all), len(all)-surprises, surprises)
	return w.board.put(all)
}
