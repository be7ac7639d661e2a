package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
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

// sum adds up the counts of a folder and prints the closing lines, the last of
// which is "N passed, N failed". A non-zero status without a failed test, from
// a linter or a build for example, counts as one failure.
func sum(out io.Writer, folder string, status int) (bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return false, err
	}
	sort.Strings(files)
	var total Counts
	for _, file := range files {
		var c Counts
		text, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(text, &c); err != nil {
			return false, fmt.Errorf("%s: expected counts written by tally: %w", file, err)
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
	if total.Passed == 0 && total.Failed == 0 {
		fmt.Fprintf(out, "no test ran: no counts in %s\n", folder)
		total.Failed++
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", total.Passed, total.Failed)
	return total.Failed == 0, nil
}
