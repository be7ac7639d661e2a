package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/vmreplay/vmreplay/sim/report"
)

// OK says that the gate is open.
func (o *Ownership) OK() bool { return len(o.Findings) == 0 }

// owns words what a patch is good for.
func (p Owner) owns() string {
	switch {
	case !p.Judged:
		return "not judged: no two sets differ by it alone"
	case p.Inert():
		return "nothing: inert"
	case len(p.Owns) == 0:
		return "alone: " + strings.Join(p.Helps, ", ")
	}
	return strings.Join(p.Owns, ", ")
}

// Table writes the matrix, which patch owns which case, and what is wrong.
func (o *Ownership) Table(w io.Writer, options report.TableOptions) error {
	var matrix, b bytes.Buffer
	if err := report.Matrix(&matrix, o.Results, options); err != nil {
		return err
	}
	if len(o.Patches) > 0 {
		fmt.Fprintln(&b)
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "PATCH\tOWNS")
		for _, p := range o.Patches {
			fmt.Fprintf(t, "%s\t%s\n", p.Name, p.owns())
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if !o.OK() {
		fmt.Fprintln(&b)
	}
	for _, f := range o.Findings {
		fmt.Fprintf(&b, "%s: %s\n", f.Check, strings.ReplaceAll(f.Text, "\n", "\n  "))
	}
	_, err := io.WriteString(w, matrix.String()+report.Fit(b.String(), options.Width))
	return err
}

// JSON writes everything but the details of the checks.
func (o *Ownership) JSON(w io.Writer) error {
	type run struct {
		Scenario   string `json:"scenario"`
		Set        string `json:"set"`
		Green      bool   `json:"green"`
		Unexpected string `json:"unexpected,omitempty"`
		Status     string `json:"status,omitempty"`
		Hash       string `json:"hash"`
	}
	type owner struct {
		Patch string   `json:"patch"`
		Path  string   `json:"path"`
		Owns  []string `json:"owns"`
		Helps []string `json:"helps,omitempty"`
		Inert bool     `json:"inert"`
	}
	type finding struct {
		Check string `json:"check"`
		Text  string `json:"text"`
	}
	out := struct {
		OK       bool      `json:"ok"`
		Runs     []run     `json:"runs"`
		Patches  []owner   `json:"patches"`
		Findings []finding `json:"findings"`
	}{o.OK(), []run{}, []owner{}, []finding{}}
	for _, r := range o.Results {
		out.Runs = append(out.Runs, run{r.Scenario, r.Variant, r.Green(), r.Unexpected, r.Status, fmt.Sprintf("%016x", r.Hash)})
	}
	for _, p := range o.Patches {
		out.Patches = append(out.Patches, owner{p.Name, p.Path, append([]string{}, p.Owns...), p.Helps, p.Inert()})
	}
	for _, f := range o.Findings {
		out.Findings = append(out.Findings, finding(f))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// JUnit writes a case for each scenario and set, and one for each patch.
func (o *Ownership) JUnit(w io.Writer) error {
	all := append([]report.Result{}, o.Results...)
	for _, p := range o.Patches {
		all = append(all, o.caseOf(p))
	}
	return report.JUnit(w, all)
}

// caseOf is what the gate found of a patch, as the result of a run.
func (o *Ownership) caseOf(p Owner) report.Result {
	r := report.Result{Scenario: "every patch changes a verdict", Controller: "gate", Variant: p.Name, Path: p.Path, Verdict: report.Pass, Expected: report.Pass}
	for _, f := range o.Findings {
		if f.Check == CheckInert && strings.HasPrefix(f.Text, p.Path+" ") {
			r.Verdict, r.Unexpected = report.Fail, f.Text
		}
	}
	return r
}

// Inert are the patches that close the gate, for reports that have the runs only.
func (o *Ownership) Inert() []report.Result {
	var all []report.Result
	for _, p := range o.Patches {
		if r := o.caseOf(p); !r.AsExpected() {
			all = append(all, r)
		}
	}
	return all
}

// Markdown writes the same as Table for a pull request's comment or a job's
// summary.
func (o *Ownership) Markdown(w io.Writer) error {
	var b bytes.Buffer
	var sets, scenarios []string
	cells := map[[2]string]string{}
	for _, r := range o.Results {
		sets, scenarios = appendNew(sets, r.Variant), appendNew(scenarios, r.Scenario)
		cells[[2]string{r.Scenario, r.Variant}] = mark(r)
	}
	fmt.Fprintf(&b, "| Scenario | %s |\n|---|%s\n", strings.Join(sets, " | "), strings.Repeat("---|", len(sets)))
	for _, sc := range scenarios {
		fmt.Fprintf(&b, "| %s |", sc)
		for _, set := range sets {
			fmt.Fprintf(&b, " %s |", cells[[2]string{sc, set}])
		}
		fmt.Fprintln(&b)
	}
	if len(o.Patches) > 0 {
		fmt.Fprint(&b, "\n| Patch | Owns |\n|---|---|\n")
	}
	for _, p := range o.Patches {
		fmt.Fprintf(&b, "| %s | %s |\n", p.Name, p.owns())
	}
	if o.OK() {
		fmt.Fprint(&b, "\nEvery verdict is as written down.\n")
	} else {
		fmt.Fprintln(&b)
	}
	for _, f := range o.Findings {
		first, _, _ := strings.Cut(f.Text, "\n")
		fmt.Fprintf(&b, "- **%s**: %s\n", f.Check, strings.ReplaceAll(first, "|", "\\|"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func mark(r report.Result) string {
	colour := "red"
	if r.Green() {
		colour = "green"
	}
	if !r.AsExpected() {
		colour = "**" + colour + "!**"
	}
	return colour
}

func appendNew(list []string, s string) []string {
	for _, known := range list {
		if known == s {
			return list
		}
	}
	return append(list, s)
}
