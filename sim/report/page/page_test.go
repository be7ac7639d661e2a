package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/record"
)

const evil = `</script><script>broken()</script><img src=x onerror=broken()>"'` + "`${broken()}" + `<!-- &lt;`

func aRecord(text string) *record.Record {
	return &record.Record{
		End:   1,
		Lanes: []record.Lane{{Process: text, Sort: record.LaneRequests}},
		Steps: []record.Step{
			{At: 1.5, Raised: 0.5, Process: text, Verb: "get", Kind: text, Object: text, Outcome: text, State: 0},
			{At: 1.5, Raised: 1.5, Process: text, Verb: "get", Kind: text, Object: text, N: 2, Outcome: text, State: -1},
		},
		Checks: []record.Check{{Name: text, Message: text}},
		Blobs:  []json.RawMessage{json.RawMessage(`{"a":1}`)},
	}
}

func sample(text string) []Run {
	result := func(scenario, variant, verdict string) Run {
		return Run{Record: aRecord(text), Result: report.Result{
			Scenario: scenario, Controller: text, Variant: variant, Path: text, Verdict: verdict, Expected: report.Pass, Unexpected: text, Detail: text, Replay: text,
		}}
	}
	return []Run{result(text, "a", report.Pass), result(text, "b", report.Fail), result("other", "a", report.Pass)}
}

func write(t *testing.T, runs []Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, runs, Options{Versions: []string{evil}, Problem: evil}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What results and records hold stays text: the page has the elements that it
// has with harmless texts.
func TestNothingBreaksOut(t *testing.T) {
	elements := func(page string) (all []string) {
		z := html.NewTokenizer(strings.NewReader(page))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return all
			case html.StartTagToken, html.SelfClosingTagToken:
				token := z.Token()
				names := token.Data
				for _, a := range token.Attr {
					names += " " + a.Key
				}
				all = append(all, names)
			case html.CommentToken:
				all = append(all, "comment")
			}
		}
	}
	if diff := cmp.Diff(elements(write(t, sample("harmless"))), elements(write(t, sample(evil)))); diff != "" {
		t.Errorf("the elements of the page depend on its texts (-harmless +hostile):\n%s", diff)
	}
}

// A name that turns the reading direction, or breaks the line for a script, is
// shown with what it holds.
func TestTextsLookLikeWhatTheyAre(t *testing.T) {
	const turned = "a\u202egnp.b\u2028c"
	const shown = `a\u202egnp.b\u2028c`
	found := 0
	z := html.NewTokenizer(strings.NewReader(write(t, sample(turned))))
	inside := "" // the element whose text comes
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		texts := []string{}
		switch kind {
		case html.StartTagToken:
			inside = token.Data
			for _, a := range token.Attr {
				if !strings.HasPrefix(a.Key, "data-") { // those are for the script, which shows texts itself
					texts = append(texts, a.Val)
				}
			}
		case html.TextToken:
			if inside != "script" {
				texts = append(texts, token.Data)
			}
		case html.EndTagToken:
			inside = ""
		}
		for _, text := range texts {
			if strings.ContainsAny(text, "\u202e\u2028") {
				t.Errorf("<%s> shows %q", inside, text)
			}
			found += strings.Count(text, shown)
		}
	}
	if found < 5 {
		t.Errorf("the text was shown %d times: the test looks in the wrong places", found)
	}
}

func TestThePageNeedsNothingElse(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample("x"), Options{}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, word := range []string{"http://", "https://", " src="} {
		if i := strings.Index(strings.ReplaceAll(page, svgNamespace, ""), word); i >= 0 {
			t.Errorf("the page has %q: %s", word, page[max(0, i-60):min(len(page), i+60)])
		}
	}
	if !strings.Contains(page, "default-src &#39;none&#39;; script-src &#39;sha256-") {
		t.Error("the page does not forbid itself other scripts")
	}
}

// svgNamespace is a name that looks like an address.
const svgNamespace = "http://www.w3.org/2000/svg"

func TestOnePageOfOneInput(t *testing.T) {
	first, second := write(t, sample("x")), write(t, sample("x"))
	if first != second {
		t.Error("the same runs gave two pages")
	}
}

func TestRunsShareWhatTheyHaveInCommon(t *testing.T) {
	b := newBundle()
	b.records = []member{{0, aRecord("x")}, {1, aRecord("x")}}
	if _, err := b.pack(); err != nil {
		t.Fatal(err)
	}
	if len(b.Blobs) != 1 || len(b.Lanes) != 1 || b.Lists["steps"].N != 2 || b.Lists["checks"].N != 1 {
		t.Errorf("two equal runs have %d blobs, %d lanes, %d steps, %d checks", len(b.Blobs), len(b.Lanes), b.Lists["steps"].N, b.Lists["checks"].N)
	}
	if diff := cmp.Diff(b.Runs[0], b.Runs[1]); diff != "" {
		t.Errorf("equal runs differ:\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2}, b.Runs[0].Lists["steps"]); diff != "" {
		t.Errorf("steps as ranges (-want +got):\n%s", diff)
	}
}

func TestRanges(t *testing.T) {
	tests := []struct {
		name    string
		numbers []int
		want    []int
	}{
		{"none", nil, []int{}},
		{"one", []int{4}, []int{4, 1}},
		{"in order", []int{0, 1, 2}, []int{0, 3}},
		{"in two parts", []int{0, 1, 7, 8, 9}, []int{0, 2, 5, 3}},
		{"again", []int{3, 3}, []int{3, 1, -1, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ranges(test.numbers)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMatrixCellLeadsToTheWorstRun(t *testing.T) {
	runs := []Run{
		{Result: report.Result{Scenario: "s", Variant: "v", Verdict: report.Pass, Expected: report.Pass}},
		{Result: report.Result{Scenario: "s", Variant: "v", Verdict: report.Fail, Expected: report.Pass}},
		{Result: report.Result{Scenario: "s", Variant: "v", Verdict: report.Pass, Expected: report.Pass}},
	}
	got := blocks(runs)[0].Rows[0].Cells[0]
	if want := (cell{Ran: true, Run: 1, Text: "red", Unexpected: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
