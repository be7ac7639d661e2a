package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Counts is what one tool ran.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	// Closing lines are shown at the end of all, in order.
	Closing []string `json:"closing"`
}

func (c Counts) green() bool { return c.Failed == 0 && c.Skipped == 0 }

func (c Counts) write(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// sum adds up the counts that the named tools left in a folder, each in
// NAME.json, and prints their closing lines and at last "N passed, N failed". A
// non-zero status without a failed test, from a linter or a build for example,
// counts as one failure.
func sum(out io.Writer, folder string, names []string, status int) (bool, error) {
	var total Counts
	for _, name := range names {
		c, err := read(filepath.Join(folder, name+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			c = Counts{Failed: 1, Closing: []string{name + ": did not run"}}
		} else if err != nil {
			return false, err
		}
		for _, line := range c.Closing {
			fmt.Fprintln(out, line)
		}
		total.Passed += c.Passed
		total.Failed += c.Failed + c.Skipped
		total.Skipped += c.Skipped
	}
	if total.Skipped > 0 {
		fmt.Fprintf(out, "%d skipped, counted as failed\n", total.Skipped)
	}
	if status != 0 && total.Failed == 0 {
		fmt.Fprintf(out, "a step failed outside the tests, see above (make ended with status %d)\n", status)
		total.Failed++
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", total.Passed, total.Failed)
	return total.Failed == 0, nil
}

func read(file string) (Counts, error) {
	var c Counts
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s: expected counts written by tally: %w", file, err)
	}
	return c, nil
}
