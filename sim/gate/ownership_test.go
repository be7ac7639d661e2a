package gate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/schematest"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

var three = []Patch{{Name: "a", Path: "1-a.diff"}, {Name: "b", Path: "2-b.diff"}, {Name: "c", Path: "3-c.diff"}}

func names(sets []Set) []string {
	var all []string
	for _, s := range sets {
		all = append(all, s.Name)
	}
	return all
}

func TestSets(t *testing.T) {
	tests := []struct {
		name    string
		patches []Patch
		kinds   []string
		want    []string
	}{
		{"three patches", three, Kinds(), []string{"none", "only-a", "only-b", "only-c", "without-a", "without-b", "without-c", "all"}},
		{"two patches: each alone is the other left out", three[:2], Kinds(), []string{"none", "only-a", "only-b", "all"}},
		{"one patch", three[:1], Kinds(), []string{"none", "only-a"}},
		{"no patch", nil, Kinds(), []string{"none"}},
		{"some kinds, in any order", three, []string{All, EachOut}, []string{"without-a", "without-b", "without-c", "all"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sets, err := Sets(test.patches, test.kinds)
			if diff := cmp.Diff(test.want, names(sets)); err != nil || diff != "" {
				t.Errorf("error %v, sets (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := Sets(three, []string{"each-owt"}); err == nil || !strings.Contains(err.Error(), `did you mean "each-out"`) {
		t.Errorf("got %v, want the nearest word", err)
	}
}

// expected are the checks by which each set is expected red, in one line each.
func expected(t *testing.T, v scenario.Verdicts) map[string][]string {
	t.Helper()
	sets, err := Sets(three, Kinds())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Expect(&scenario.Scenario{Verdicts: v}, three, sets)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.Verdicts.Green) + len(s.Verdicts.Red); got != len(sets) {
		t.Errorf("%d verdicts, want one for each of the %d sets", got, len(sets))
	}
	red := map[string][]string{}
	for _, r := range s.Verdicts.Red {
		red[r.Variant] = r.Checks
	}
	return red
}

func TestExpect(t *testing.T) {
	x, y := []string{"x"}, []string{"y"}
	tests := []struct {
		name     string
		verdicts scenario.Verdicts
		want     map[string][]string
	}{
		{"nothing is red", scenario.Verdicts{Green: []string{"all", "none"}}, map[string][]string{}},
		{"one owner", scenario.Verdicts{Red: []scenario.Red{{Variant: "without-a", Checks: x}}},
			map[string][]string{"none": x, "only-b": x, "only-c": x, "without-a": x}},
		{"two owners", scenario.Verdicts{Red: []scenario.Red{{Variant: "without-a", Checks: x}, {Variant: "without-b", Checks: y}}},
			map[string][]string{"none": {"x", "y"}, "only-a": y, "only-b": x, "only-c": {"x", "y"}, "without-a": x, "without-b": y}},
		{"a set that is named wins", scenario.Verdicts{Green: []string{"only-b"}, Red: []scenario.Red{{Variant: "without-a", Checks: x}, {Variant: "none", Checks: y}}},
			map[string][]string{"none": y, "only-c": x, "without-a": x}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, expected(t, test.verdicts)); diff != "" {
				t.Errorf("red sets (-want +got):\n%s", diff)
			}
		})
	}
	bare, err := Expect(&scenario.Scenario{Verdicts: scenario.Verdicts{Green: []string{"only-b"}, Red: []scenario.Red{{Variant: "without-a", Checks: x}}}}, nil, []Set{{Name: None}})
	if err != nil || len(bare.Verdicts.Red) != 1 || bare.Verdicts.Red[0].Variant != None {
		t.Errorf("without a series: got %+v, %v, want none red", bare, err)
	}
	_, err = Expect(&scenario.Scenario{Verdicts: scenario.Verdicts{Red: []scenario.Red{{Variant: "without-aa", Pos: scenario.Pos{File: "s.yaml", Line: 7, Column: 5}}}}}, three, nil)
	if err == nil || !strings.Contains(err.Error(), `s.yaml:7:5: unknown patch set "without-aa" (did you mean "without-a"?)`) {
		t.Errorf("got %v", err)
	}
}

// results are runs of scenarios that are red exactly with the named sets.
func results(t *testing.T, red map[string][]string) (*Subject, []report.Result) {
	t.Helper()
	sets, err := Sets(three, Kinds())
	if err != nil {
		t.Fatal(err)
	}
	var all []report.Result
	for _, name := range []string{"case-a", "case-b", "calm"} {
		for _, set := range sets {
			r := report.Result{Scenario: name, Path: name + ".yaml", Controller: "tree", Variant: set.Name, Verdict: report.Pass, Expected: report.Pass}
			for _, s := range red[name] {
				if s == set.Name {
					r.Verdict, r.Expected = report.Fail, report.Fail
					r.Checks = []report.Check{{Name: "set-up", Message: "not set up"}}
				}
			}
			all = append(all, r)
		}
	}
	return &Subject{Patches: three, Sets: sets}, all
}

var owned = map[string][]string{
	"case-a": {"none", "only-b", "only-c", "without-a"},
	"case-b": {"none", "only-a", "only-c", "without-b"},
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name  string
		inert []string
		spoil func([]report.Result)
		want  []string // the findings' checks
		says  string
	}{
		{"a refactoring", nil, nil, []string{CheckInert}, "3-c.diff changes no verdict"},
		{"a refactoring that is allowed", []string{"c"}, nil, nil, ""},
		{"a patch that is allowed without need", []string{"b", "c"}, nil, []string{CheckInert}, "2-b.diff is listed under --allow-inert, but changes the verdict of case-b"},
		{"a control turns red", []string{"c"}, func(rs []report.Result) { rs[17].Verdict = report.Fail }, []string{CheckControl}, "calm is a control, but red with patch set only-a"},
		{"another verdict", []string{"c"}, func(rs []report.Result) { rs[0].Unexpected = "expected green" }, []string{CheckVerdict}, "case-a, patch set none: expected green"},
		{"no verdict", []string{"c"}, func(rs []report.Result) { rs[0].Status = report.Hung }, []string{CheckRun}, "case-a, patch set none: hung"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, rs := results(t, owned)
			if test.spoil != nil {
				test.spoil(rs)
			}
			o, err := s.Judge(rs, []string{"calm"}, test.inert)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var text string
			for _, f := range o.Findings {
				got, text = append(got, f.Check), text+f.Text
			}
			if diff := cmp.Diff(test.want, got); diff != "" || !strings.Contains(text, test.says) {
				t.Errorf("findings (-want +got):\n%s\n%q in %q", diff, test.says, text)
			}
		})
	}
	s, rs := results(t, owned)
	if _, err := s.Judge(rs, nil, []string{"d"}); err == nil || !strings.Contains(err.Error(), "--allow-inert: unknown patch") {
		t.Errorf("got %v", err)
	}
}

func TestOwners(t *testing.T) {
	s, rs := results(t, owned)
	o, err := s.Judge(rs, nil, []string{"c"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Owner{
		{Name: "a", Path: "1-a.diff", Owns: []string{"case-a"}, Judged: true},
		{Name: "b", Path: "2-b.diff", Owns: []string{"case-b"}, Judged: true},
		{Name: "c", Path: "3-c.diff", Judged: true},
	}
	if diff := cmp.Diff(want, o.Patches); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
}

func TestWriters(t *testing.T) {
	s, rs := results(t, owned)
	o, err := s.Judge(rs, []string{"calm"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var table, markdown, junit, text bytes.Buffer
	for _, err := range []error{o.Table(&table, report.TableOptions{}), o.Markdown(&markdown), o.JUnit(&junit), o.JSON(&text)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := schematest.Check(JSONSchema(), text.Bytes()); err != nil {
		t.Error(err)
	}
	wants := []struct{ what, got, want string }{
		{"table", table.String(), "PATCH  OWNS\na      case-a\nb      case-b\nc      nothing: inert\n\ninert-patch: 3-c.diff"},
		{"markdown", markdown.String(), "| case-a | red | green | red | red | red | green | green | green |"},
		{"markdown", markdown.String(), "- **inert-patch**: 3-c.diff"},
		{"junit", junit.String(), `classname="gate.every patch changes a verdict" name="c"`},
	}
	for _, w := range wants {
		if !strings.Contains(w.got, w.want) {
			t.Errorf("%s: %q is not in\n%s", w.what, w.want, w.got)
		}
	}
	var doc struct {
		OK      bool
		Patches []struct {
			Patch string
			Owns  []string
			Inert bool
		}
	}
	if err := json.Unmarshal(text.Bytes(), &doc); err != nil || doc.OK || len(doc.Patches) != 3 || !doc.Patches[2].Inert {
		t.Errorf("error %v, JSON %s", err, text.String())
	}
}
