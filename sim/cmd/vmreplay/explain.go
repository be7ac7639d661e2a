package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/scenarios"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [WORD]",
		Short: "explain a check, a perturbation, a kind or any other word of the scenarios",
		Long: `explain prints what the reference of the language says about a word: a sort of
check (eventually), a check that every run makes (no-leak), a perturbation (lost), a
kind of object (Pod), a setting (scheduler.latency), a field (hold) or a whole part
of a scenario (timeline).
Without a word it lists those that it knows.`,
		Example: `  vmreplay explain backoff
  vmreplay explain VirtualMachineInstance`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topics().words(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			t := topics()
			if len(args) == 0 {
				return t.list(a.out)
			}
			text, ok := t.explain(args[0])
			if !ok {
				return unknown("explain", "word", args[0], t.words())
			}
			_, err := io.WriteString(a.out, text)
			return err
		},
	}
}

// topicsOf are the words that can be explained, each with its texts.
type topicsOf struct {
	parts, fields, checks, settings map[string]string
	kinds                           map[string]scenario.Kind
}

// topics reads the reference: there is no second text that could say otherwise.
func topics() *topicsOf {
	t := &topicsOf{parts: map[string]string{}, fields: map[string]string{}, checks: map[string]string{}, settings: map[string]string{}, kinds: sim.Catalog().Kinds}
	for _, d := range cluster.Describe() {
		t.settings[d.Key] = fmt.Sprintf("%s: a setting of the stand-ins (given.settings), %s by default\n\n%s\n", d.Key, d.Default, d.About)
	}
	for section := range strings.SplitSeq(scenarios.Reference, "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		name, _, isPart := strings.Cut(title, ":")
		if !isPart {
			continue
		}
		t.parts[name] = title + "\n\n" + strings.TrimSpace(body) + "\n"
		t.read(name, body)
	}
	return t
}

// read finds the fields of a part, in the paragraphs of its examples, and the
// words that its prose explains.
func (t *topicsOf) read(part, body string) {
	inside := false
	for block := range strings.SplitSeq(body, "```") {
		for paragraph := range strings.SplitSeq(block, "\n\n") {
			if !inside {
				t.prose(part, paragraph)
				continue
			}
			for _, field := range fieldsOf(paragraph) {
				t.fields[field] += "In " + part + ":\n\n" + strings.Trim(strings.TrimPrefix(paragraph, "yaml\n"), "\n") + "\n\n"
			}
		}
		inside = !inside
	}
}

// prose takes in the checks that every run makes: `no-leak` (what it demands).
func (t *topicsOf) prose(part, paragraph string) {
	if part != "expect" {
		return
	}
	words := strings.Split(strings.ReplaceAll(paragraph, "\n", " "), "`")
	for i := 1; i+1 < len(words); i += 2 {
		if meaning, _, ok := strings.Cut(words[i+1], ")"); ok && strings.HasPrefix(meaning, " (") {
			t.checks[words[i]] = fmt.Sprintf("%s: a check that every run makes: %s.\nVerdicts may name it; it is in a result only when it fails.\n", words[i], meaning[2:])
		}
	}
}

var fieldName = regexp.MustCompile(`^[a-z][A-Za-z]*$`)

// fieldsOf are the keys of an example and of its comments, each once: what goes
// instead of a field stands in a comment beside it.
func fieldsOf(paragraph string) []string {
	found := map[string]bool{}
	for _, piece := range strings.FieldsFunc(paragraph, func(r rune) bool { return strings.ContainsRune("{},;#\n", r) }) {
		if key, _, ok := strings.Cut(strings.TrimLeft(piece, " -"), ":"); ok && fieldName.MatchString(key) {
			found[key] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// texts are those of words that are no kinds. Of a word that is in several, the
// first counts.
func (t *topicsOf) texts() []map[string]string {
	return []map[string]string{t.checks, t.parts, t.settings, t.fields}
}

func (t *topicsOf) explain(word string) (string, bool) {
	for name, k := range t.kinds {
		if strings.EqualFold(name, word) {
			return explainKind(name, k), true
		}
	}
	for _, texts := range t.texts() {
		if text, ok := texts[word]; ok {
			return strings.TrimRight(text, "\n") + "\n", true
		}
	}
	return "", false
}

func explainKind(name string, k scenario.Kind) string {
	kind, key := name, "name"
	if k.Kind != "" {
		kind = k.Kind
	}
	if k.Namespaced {
		key = "namespace/name"
	}
	all := expr.Kind{Func: k.Func}
	return fmt.Sprintf(`%s: a kind of object

apiVersion: %s
kind: %s

In expressions, %s("%s") is one of them, or null if there is none, and %s() is
the list of all. As kind in patch, delete, informerClock and rate it is called %s.
`, name, k.APIVersion, kind, k.Func, key, all.ListFunc(), name)
}

func (t *topicsOf) words() []string {
	all := slices.Collect(maps.Keys(t.kinds))
	for _, texts := range t.texts() {
		all = slices.AppendSeq(all, maps.Keys(texts))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (t *topicsOf) list(w io.Writer) error {
	groups := []struct {
		title string
		words []string
	}{
		{"parts of a scenario", slices.Sorted(maps.Keys(t.parts))},
		{"checks that every run makes", slices.Sorted(maps.Keys(t.checks))},
		{"settings", slices.Sorted(maps.Keys(t.settings))},
		{"fields", slices.Sorted(maps.Keys(t.fields))},
		{"kinds", slices.Sorted(maps.Keys(t.kinds))},
	}
	for _, g := range groups {
		if _, err := fmt.Fprintf(w, "%s:\n  %s\n", g.title, strings.Join(g.words, "\n  ")); err != nil {
			return err
		}
	}
	return nil
}
