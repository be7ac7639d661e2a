package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/nearest"
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
Without a word it lists those that it knows; of a group (perturbations), those in it.`,
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
			if text, ok := t.explain(args[0]); ok {
				_, err := io.WriteString(a.out, text)
				return err
			}
			if groups := t.named(args[0]); len(groups) > 0 {
				return listGroups(a.out, groups)
			}
			return t.unknown(args[0])
		},
	}
}

// texts are those of words that are no kinds. Of a word that is in several, but for
// the checks, the first counts: a part has the examples of its own field.
func (t *topicsOf) texts() []map[string]string {
	return []map[string]string{t.checks, t.parts, t.settings, t.fields}
}

func (t *topicsOf) explain(word string) (string, bool) {
	for name, k := range t.kinds {
		if strings.EqualFold(name, word) {
			return explainKind(name, k), true
		}
	}
	var all []string
	if text, ok := t.checks[word]; ok { // of two, "schedule" and "timeline", there is a part as well
		all = append(all, strings.TrimSpace(text)+"\n")
	}
	for _, texts := range t.texts()[1:] {
		if text, ok := texts[word]; ok {
			all = append(all, strings.TrimSpace(text)+"\n")
			break
		}
	}
	return strings.Join(all, "\n"), len(all) > 0
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

func (t *topicsOf) list(w io.Writer) error { return listGroups(w, t.groups()) }

// A group is words of one sort.
type group struct {
	title string
	words []string
}

func (t *topicsOf) groups() []group {
	sorts, perturbations := scenario.Sorts(), scenario.Perturbations()
	fields := slices.DeleteFunc(slices.Sorted(maps.Keys(t.fields)), func(word string) bool {
		return t.parts[word] != "" || slices.Contains(sorts, word) || slices.Contains(perturbations, word)
	})
	return []group{
		{"parts of a scenario", slices.Sorted(maps.Keys(t.parts))},
		{"sorts of checks", sorts},
		{"checks that every run makes", slices.Sorted(maps.Keys(t.checks))},
		{"perturbations", perturbations},
		{"settings", slices.Sorted(maps.Keys(t.settings))},
		{"fields", fields},
		{"kinds", slices.Sorted(maps.Keys(t.kinds))},
	}
}

// named are the groups of that name, in the plural or not: "check" is in two.
func (t *topicsOf) named(word string) []group {
	plural := strings.TrimSuffix(strings.ToLower(word), "s") + "s"
	return slices.DeleteFunc(t.groups(), func(g group) bool { return !slices.Contains(strings.Fields(g.title), plural) })
}

// unknown names the nearest word; all of them would fill the screen.
func (t *topicsOf) unknown(word string) error {
	if near := nearest.Word(word, t.words()); near != "" {
		return fmt.Errorf("explain: unknown word %q (did you mean %q?)", word, near)
	}
	return fmt.Errorf("explain: unknown word %q: expected one of those that vmreplay explain lists", word)
}

func listGroups(w io.Writer, groups []group) error {
	for _, g := range groups {
		if _, err := fmt.Fprintf(w, "%s:\n  %s\n", g.title, strings.Join(g.words, "\n  ")); err != nil {
			return err
		}
	}
	return nil
}
