package scenario

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

func (d *document) verdicts(n *yaml.Node) Verdicts {
	v := Verdicts{Pos: d.pos(n)}
	var named []word
	d.mapping(n, "verdicts", fields{
		"green": func(n *yaml.Node) {
			green := d.words(n, "variant")
			v.Green = texts(green)
			named = append(named, green...)
		},
		"red": func(n *yaml.Node) {
			var variants []word
			v.Red, variants = d.reds(n)
			named = append(named, variants...)
		},
	})
	d.later(func() { d.variantsAreNamedOnce(named, v.Pos) })
	return v
}

func (d *document) reds(n *yaml.Node) ([]Red, []word) {
	at := d.pos(n)
	if n = resolve(n); n.Kind != yaml.MappingNode {
		d.redIsBroken = true
		d.errorf(at, "red: expected a mapping of variants to lists of checks, found %s", found(n))
		return nil, nil
	}
	var reds []Red
	var variants []word
	for _, e := range d.entries(n) {
		variant := word{e.key.Value, d.pos(e.key)}
		checks := d.words(e.value, "check")
		if len(checks) == 0 {
			d.errorf(variant.pos, "variant %q is red by no check: name at least one", variant.text)
		}
		reds = append(reds, Red{Variant: variant.text, Checks: texts(checks), Pos: variant.pos})
		variants = append(variants, variant)
		d.later(func() { d.checksApply(checks, variant.text) })
	}
	return reds, variants
}

// checksApply demands that the checks by which a variant is red exist and are
// made for it.
func (d *document) checksApply(checks []word, variant string) {
	for _, w := range checks {
		only := d.checksOf[w.text]
		switch _, declared := d.checks.at[w.text]; {
		case slices.Contains(expectable, w.text) || d.checks.broken && !declared:
		case !declared:
			d.unknown(w.pos, "check", w.text, slices.Concat(d.checks.words(), expectable))
		case len(only) > 0 && !slices.Contains(only, variant):
			d.errorf(w.pos, "the check %q is not made for variant %q, so it cannot be red by it: its variants are %s", w.text, variant, oneOf(only))
		}
	}
}

// variantsAreNamedOnce demands that the verdicts tell every variant's colour.
func (d *document) variantsAreNamedOnce(named []word, at Pos) {
	if d.variants == nil {
		return
	}
	slices.SortStableFunc(named, func(a, b word) int { return comparePos(a.pos, b.pos) })
	first := map[string]Pos{}
	misspelt := map[string]bool{}
	for _, w := range named {
		earlier, again := first[w.text]
		switch {
		case again:
			d.errorf(w.pos, "variant %q has a verdict already, on line %d", w.text, earlier.Line)
		case !d.oneOfWords(w, "variant", d.variants):
			misspelt[nearestWord(w.text, d.variants)] = true
		default:
			first[w.text] = w.pos
		}
	}
	if d.redIsBroken {
		return
	}
	for _, variant := range d.variants {
		if _, ok := first[variant]; !ok && !misspelt[variant] {
			d.errorf(at, "the verdicts do not name variant %q: is it green or red?", variant)
		}
	}
}
