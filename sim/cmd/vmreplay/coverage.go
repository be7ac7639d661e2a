package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/coverage"
	"slices"
	"strconv"
	"strings"
)

// counted demands that this program counts what it runs.
func counted(dir string) error {
	if dir == "" {
		return nil
	}
	if err := coverage.WriteMeta(io.Discard); err != nil {
		return errors.New("--coverage: this vmreplay counts nothing: build one that does with make build-cover")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--coverage: %w", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return fmt.Errorf("--coverage: expected an empty folder, or none, at %s: what is there would be counted, too", dir)
	}
	return nil
}

// profileName is the file of the folder in which go tool cover reads what was
// counted.
const profileName = "profile.txt"

// commandPath is what the names of this command's files begin with.
const commandPath = "github.com/vmreplay/vmreplay/sim/cmd/"

// writeCoverage gathers what this process and its workers have counted, and says
// which blocks none of them came to.
func writeCoverage(w io.Writer, dir string) error {
	if err := errors.Join(coverage.WriteMetaDir(dir), coverage.WriteCountersDir(dir)); err != nil {
		return fmt.Errorf("--coverage: %w", err)
	}
	profile := filepath.Join(dir, profileName)
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		return fmt.Errorf("--coverage: go tool covdata: %w: %s", err, strings.TrimSpace(string(out)))
	}
	f, err := os.Open(profile)
	if err != nil {
		return fmt.Errorf("--coverage: %w", err)
	}
	defer f.Close()
	blocks, err := readProfile(f)
	if err != nil {
		return fmt.Errorf("--coverage: %s: %w", profile, err)
	}
	// The command itself is counted only because the counters are its own.
	blocks = slices.DeleteFunc(blocks, func(b block) bool { return strings.HasPrefix(b.file, commandPath) })
	return printCoverage(w, blocks, profile)
}

// A block is a part of a file that runs as a whole: what is between two branches.
type block struct {
	file, span string // "12.3,15.4"
	line       int
	reached    bool
}

// readProfile reads go's text form of a coverage profile. A block may be there
// several times; it was reached if one of them was.
func readProfile(r io.Reader) ([]block, error) {
	at := map[string]int{}
	var blocks []block
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "mode: ") {
			continue
		}
		place, counts, ok := strings.Cut(line, " ")
		colon := strings.LastIndex(place, ":")
		_, count, two := strings.Cut(counts, " ")
		if !ok || !two || colon < 0 {
			return nil, fmt.Errorf("expected FILE:SPAN STATEMENTS COUNT, found %q", line)
		}
		b := block{file: place[:colon], span: place[colon+1:], reached: count != "0"}
		from, _, _ := strings.Cut(b.span, ".")
		var err error
		if b.line, err = strconv.Atoi(from); err != nil {
			return nil, fmt.Errorf("expected a line number, found %q in %q", from, line)
		}
		if i, again := at[place]; again {
			blocks[i].reached = blocks[i].reached || b.reached
			continue
		}
		at[place] = len(blocks)
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// lines are those of a block: "12" or "12-15".
func (b *block) lines() string {
	_, end, _ := strings.Cut(b.span, ",")
	end, _, _ = strings.Cut(end, ".")
	if begin := strconv.Itoa(b.line); begin != end {
		return begin + "-" + end
	}
	return end
}

// printCoverage lists the blocks that no schedule reached, by file. Of a package
// of which none was reached, as of another controller, it says only that.
func printCoverage(w io.Writer, blocks []block, profile string) error {
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line) })
	packages, files, all := map[string]int{}, map[string]int{}, 0
	for _, b := range blocks {
		if b.reached {
			packages[path.Dir(b.file)]++
			files[b.file]++
			all++
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\ncode: %d of %d blocks reached, see go tool cover -html=%s", all, len(blocks), profile)
	last := ""
	for _, b := range blocks {
		line := ""
		switch {
		case packages[path.Dir(b.file)] == 0:
			line = "\n  nothing of " + path.Dir(b.file)
		case files[b.file] == 0:
			line = "\n  nothing of " + b.file
		case !b.reached:
			line = "\n  not all of " + b.file + ": lines"
		}
		if line != "" && line != last {
			out.WriteString(line)
			last = line
		}
		if files[b.file] > 0 && !b.reached {
			out.WriteString(" " + b.lines())
		}
	}
	out.WriteString("\n")
	_, err := io.WriteString(w, out.String())
	return err
}
