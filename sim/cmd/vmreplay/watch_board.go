package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/vmreplay/vmreplay/sim/report/files"
	"github.com/vmreplay/vmreplay/sim/report/page"
)

// liveWait is how long a page waits for a newer one before it asks again.
const liveWait = 20 * time.Second

// needsRecords is a set of reports that makes runs keep what happened in them.
func needsRecords() files.Set {
	set, err := files.Parse([]string{"html=report.html"})
	if err != nil {
		panic(err)
	}
	return set
}

// A board holds the newest page and lets others wait for the next.
type board struct {
	mu      sync.Mutex
	runs    []page.Run
	text    []byte
	version int
	changed chan struct{} // closed when there is a newer page
}

// put shows new results.
func (b *board) put(runs []page.Run) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs = runs
	return b.write("")
}

// problem shows the results of before, and what is wrong now.
func (b *board) problem(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.write(text); err != nil {
		b.text = []byte(err.Error())
	}
}

func (b *board) write(problem string) error {
	var out bytes.Buffer
	live := fmt.Sprintf("/live?seen=%d", b.version+1)
	if err := page.Write(&out, b.runs, page.Options{Versions: versions(), Live: live, Problem: problem}); err != nil {
		return err
	}
	b.version++
	b.text = out.Bytes()
	if b.changed != nil {
		close(b.changed)
	}
	b.changed = make(chan struct{})
	return nil
}

func (b *board) now() (text []byte, version int, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text, b.version, b.changed
}

// handler serves the page below the address that it listens on, and nowhere
// else: a page of a stranger that got a name for this machine is refused.
func (b *board) handler(address string) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		text, _, _ := b.now()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text) // whoever left does not read an error
	})
	mux.HandleFunc("GET /live", b.live)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != address && r.Host != "localhost:"+port {
			http.Error(w, "expected the host "+address, http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// live answers 205 as soon as there is a newer page than the one seen, and 204 if
// there was none for a while.
func (b *board) live(w http.ResponseWriter, r *http.Request) {
	seen, err := strconv.Atoi(r.URL.Query().Get("seen"))
	if err != nil {
		http.Error(w, "expected seen=N", http.StatusBadRequest)
		return
	}
	_, version, changed := b.now()
	if version == seen {
		select {
		case <-changed:
		case <-time.After(liveWait):
			w.WriteHeader(http.StatusNoContent)
			return
		case <-r.Context().Done():
			return
		}
	}
	w.WriteHeader(http.StatusResetContent)
}
