package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/scenarios"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

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
				t.fields[field] += "In " + part + ":\n\n" + excerpt(strings.Trim(strings.TrimPrefix(paragraph, "yaml\n"), "\n"), field) + "\n\n"
			}
		}
		inside = !inside
	}
}

// prose takes in the checks that every run makes: `no-leak` (what it demands). The
// last of them, verdicts may not name.
func (t *topicsOf) prose(part, paragraph string) {
	if part != "expect" {
		return
	}
	may, mayNot, _ := strings.Cut(strings.ReplaceAll(paragraph, "\n", " "), "may not name")
	t.runs(may, "Verdicts may name it; it is in a result only when it fails.")
	t.runs(mayNot, "No verdict can name it: a run that fails it has proved nothing. It is in a result only when it fails.")
}

func (t *topicsOf) runs(prose, use string) {
	words := strings.Split(prose, "`")
	for i := 1; i+1 < len(words); i += 2 {
		if meaning, _, ok := strings.Cut(words[i+1], ")"); ok && strings.HasPrefix(meaning, " (") {
			t.checks[words[i]] = fmt.Sprintf("%s, a check that every run makes: %s.\n%s\n", words[i], meaning[2:], use)
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

// excerpt is what of an example is about a field: the parts of a scenario that have
// it, and of a list the items that have it, unless the field is what holds the list.
func excerpt(example, field string) string {
	var kept strings.Builder
	for _, part := range pieces(example, "") {
		if !slices.Contains(fieldsOf(part), field) {
			continue
		}
		all := pieces(part, dashOf(part))
		whole := slices.Contains(fieldsOf(all[0]), field)
		for i, piece := range all {
			if whole || i == 0 || slices.Contains(fieldsOf(piece), field) {
				kept.WriteString(piece)
			}
		}
	}
	return strings.TrimRight(kept.String(), "\n")
}

// dashOf is how the items of an example's outermost list begin.
func dashOf(example string) string {
	for line := range strings.SplitSeq(example, "\n") {
		if text := strings.TrimLeft(line, " "); strings.HasPrefix(text, "- ") {
			return line[:len(line)-len(text)] + "- "
		}
	}
	return "- "
}

// pieces divides an example before each item that begins so, or, if that is
// empty, before each line that is not indented; comments go with what they stand
// above. The first piece is what stands before all of them.
func pieces(example, begin string) []string {
	all := []string{""}
	comments := ""
	for line := range strings.SplitAfterSeq(example, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
			comments += line
			continue
		}
		if begin == "" && fieldName.MatchString(line[:min(1, len(line))]) || begin != "" && strings.HasPrefix(line, begin) {
			all = append(all, "")
		}
		all[len(all)-1] += comments + line
		comments = ""
	}
	all[len(all)-1] += comments
	return all
}
