package expr

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Value is what one object-reading part of an expression is at the moment.
type Value struct {
	Source string // vmim("default/migration").status.phase
	Text   string // its value as JSON, or "absent"; names for a list of objects
}

func (v Value) String() string { return v.Source + " = " + v.Text }

// maxText bounds Value.Text in letters: a message is to be read.
const maxText = 100

// Values are the parts of the expression that read objects of constant keys, and
// its lists of objects, with what they are in w, each once, in the order of the
// source.
func (p *Program) Values(w World) []Value {
	var values []Value
	seen := map[string]bool{}
	for _, path := range p.paths {
		if !path.known {
			continue
		}
		v := path.value(w)
		if !seen[v.Source] {
			seen[v.Source] = true
			values = append(values, v)
		}
	}
	return values
}

func (p *path) value(w World) Value {
	value, absent := p.resolve(w)
	switch {
	case absent != nil:
		return Value{absent.Path, "absent"}
	case p.list:
		return Value{p.root, names(value.([]any))}
	case len(p.links) == 0:
		return Value{p.root, "present"}
	}
	return Value{p.text(len(p.links)), encode(value)}
}

func names(objects []any) string {
	keys := make([]string, len(objects))
	for i, o := range objects {
		keys[i] = name(o)
	}
	return shorten("[" + strings.Join(keys, " ") + "]")
}

func name(object any) string {
	content, _ := object.(map[string]any)
	meta, _ := content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if namespace, _ := meta["namespace"].(string); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

func encode(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return shorten(fmt.Sprint(value))
	}
	return shorten(strings.TrimSuffix(b.String(), "\n"))
}

func shorten(s string) string {
	if letters := []rune(s); len(letters) > maxText {
		return string(letters[:maxText-3]) + "..."
	}
	return s
}
