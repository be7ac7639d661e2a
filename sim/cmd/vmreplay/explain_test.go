package main

import (
	"strings"
	"testing"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

// Each word that explain lists can be explained.
func TestExplainKnowsItsWords(t *testing.T) {
	topics := topics()
	words := topics.words()
	if len(words) < 50 {
		t.Errorf("only %d words: is the reference read?", len(words))
	}
	for _, word := range words {
		if text, ok := topics.explain(word); !ok || strings.TrimSpace(text) == "" {
			t.Errorf("%s is listed and not explained", word)
		}
	}
}

// The words of the language that are in the reference have a group of their own.
func TestExplainListsChecksAndPerturbations(t *testing.T) {
	topics := topics()
	for _, word := range append(scenario.Sorts(), scenario.Perturbations()...) {
		if topics.fields[word] == "" {
			t.Errorf("%s is not in the reference", word)
		}
	}
	code, out, _ := call(t, "explain")
	if code != exitOK || !strings.Contains(out, "sorts of checks:\n  eventually\n") || !strings.Contains(out, "perturbations:\n  delay\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// A word for a group lists it; a word for nothing does not list everything.
func TestExplainOfAGroup(t *testing.T) {
	tests := []struct {
		name, word   string
		code         int
		out, without string
		err          string
	}{
		{"plural", "perturbations", exitOK, "perturbations:\n  delay\n  stale\n", "settings:", ""},
		{"singular", "perturbation", exitOK, "perturbations:\n  delay\n  stale\n", "settings:", ""},
		{"of two groups", "check", exitOK, "checks that every run makes:\n  hot-loop\n", "perturbations:", ""},
		{"nothing like it", "shard", exitBadInput, "", "", `explain: unknown word "shard": expected one of those that vmreplay explain lists`},
		{"a slip", "backof", exitBadInput, "", "", `explain: unknown word "backof" (did you mean "backoff"?)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, out, err := call(t, "explain", test.word)
			if code != test.code || !strings.Contains(out, test.out) || test.without != "" && strings.Contains(out, test.without) {
				t.Errorf("exit code %d, want %d:\n%s", code, test.code, out)
			}
			if strings.TrimSpace(err) != test.err {
				t.Errorf("error %q, want %q", err, test.err)
			}
		})
	}
}

// The skeleton names every sort of check.
func TestSkeletonNamesEverySort(t *testing.T) {
	for _, sort := range scenario.Sorts() {
		if !strings.Contains(skeleton, sort) {
			t.Errorf("%s is not in the skeleton", sort)
		}
	}
}

// What is explained of a field is what the reference says of it, and no more.
func TestExplainShowsThePlace(t *testing.T) {
	tests := []struct {
		word    string
		has     []string
		without []string
	}{
		{"clock", []string{"In schedule:", "clock: -30s # from here on"}, []string{"steal", "given:"}},
		{"stale", []string{"front-ends of the API", "with a crash: all such lists"}, []string{"pause"}},
		{"leaderOnly", []string{"expect:\n  # Of the replicas", "leaderOnly: kube-system"}, []string{"controllers:", "sometimes"}},
		{"replicas", []string{"In controllers:", "# short for kube-ovn-controller and"}, []string{"leaderOnly"}},
		{"schedule", []string{"schedule: single decisions, perturbed", "No verdict can name it"}, nil},
		{"no-leak", []string{"no goroutine stays after the end.\nVerdicts may name it"}, nil},
		{"standIns", []string{"standIns: [scheduler, kubelet]"}, nil},
	}
	for _, test := range tests {
		t.Run(test.word, func(t *testing.T) {
			text, _ := topics().explain(test.word)
			for _, part := range test.has {
				if !strings.Contains(text, part) {
					t.Errorf("expected %q in:\n%s", part, text)
				}
			}
			for _, part := range test.without {
				if strings.Contains(text, part) {
					t.Errorf("did not expect %q in:\n%s", part, text)
				}
			}
		})
	}
}
