package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// The fields of the JSON are an interface that scripts rely on: add, never
// rename.
type jsonReport struct {
	OK      bool         `json:"ok"`
	Results []jsonResult `json:"results"`
}

type jsonResult struct {
	Scenario       string      `json:"scenario"`
	Controller     string      `json:"controller"`
	Variant        string      `json:"variant"`
	Verdict        string      `json:"verdict"`
	Expected       string      `json:"expected"`
	Hash           string      `json:"hash"` // 16 hexadecimal digits: JSON numbers hold 53 bits only
	VirtualSeconds float64     `json:"virtualSeconds"`
	Steps          int         `json:"steps"`
	Checks         []jsonCheck `json:"checks"`
	// Only there if they say something.
	Unexpected string `json:"unexpected,omitempty"`
	Status     string `json:"status,omitempty"`
	Detail     string `json:"detail,omitempty"`
	// What was perturbed beyond what the scenario says, a line each.
	Schedule []string `json:"schedule,omitempty"`
	Path     string   `json:"path,omitempty"`
	Replay   string   `json:"replay,omitempty"` // the command that repeats the run
}

type jsonCheck struct {
	Name    string  `json:"name"`
	OK      bool    `json:"ok"`
	Message string  `json:"message"`
	At      float64 `json:"at"` // seconds since the start of the run
	// Where the check is written down; not there for those of every run.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// JSON writes all results as one JSON document.
func JSON(w io.Writer, rs []Result) error {
	report := jsonReport{OK: allAsExpected(rs), Results: make([]jsonResult, len(rs))}
	for i, r := range rs {
		report.Results[i] = newJSONResult(r)
	}
	return writeJSON(w, report)
}

func newJSONResult(r Result) jsonResult {
	j := jsonResult{
		Scenario:       r.Scenario,
		Controller:     r.Controller,
		Variant:        r.Variant,
		Verdict:        r.Verdict,
		Expected:       r.Expected,
		Hash:           fmt.Sprintf("%016x", r.Hash),
		VirtualSeconds: r.VirtualSeconds,
		Steps:          r.Steps,
		Checks:         make([]jsonCheck, len(r.Checks)),
		Unexpected:     r.Unexpected,
		Status:         r.Status,
		Detail:         r.Detail,
		Schedule:       r.Schedule,
		Path:           r.Path,
		Replay:         r.Replay,
	}
	for i, c := range r.Checks {
		j.Checks[i] = jsonCheck{c.Name, c.OK, c.Message, c.At.Seconds(), c.File, c.Line, c.Column}
	}
	return j
}

// writeJSON writes all or, after an error, nothing.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
