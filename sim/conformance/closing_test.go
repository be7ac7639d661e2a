//go:build conformance

package conformance

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// A summary is the table at the end of the suite.
type summary struct {
	mu     sync.Mutex
	names  []string
	agreed map[string]int
	all    map[string]int
	lines  []string
}

var closing = &summary{agreed: map[string]int{}, all: map[string]int{}}

// count counts one comparison of a sort, and whether both sides agreed.
func (s *summary) count(sort string, agreed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[sort] == 0 {
		s.names = append(s.names, sort)
	}
	s.all[sort]++
	if agreed {
		s.agreed[sort]++
	}
}

// add adds a line.
func (s *summary) add(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%-22s %s", name, value))
}

func (s *summary) print() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, name := range s.names {
		fmt.Fprintf(&b, "%-22s %d agreed of %d\n", name, s.agreed[name], s.all[name])
	}
	for _, line := range s.lines {
		fmt.Fprintln(&b, line)
	}
	fmt.Print("\n", b.String())
	// What a test prints is shown of failures alone; make shows the file.
	if file := os.Getenv("CONFORMANCE_SUMMARY"); file != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard()) // or envtest's client complains that there is none
	code := m.Run()
	closing.print()
	os.Exit(code)
}
