package gate

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"text/template"
)

//go:embed bindings/client-go.go.tmpl
var clientGo string

//go:embed bindings/controller-runtime.go.tmpl
var controllerRuntime string

var styles = map[string]string{"client-go": clientGo, "controller-runtime": controllerRuntime}

// Styles are the ways to build a controller that Bind knows, sorted.
func Styles() []string { return slices.Sorted(maps.Keys(styles)) }

// Bind is a binding to start from, for the tree's package: it compiles there, and
// its comments say what to put where.
func Bind(tree Tree, style string) ([]byte, error) {
	text, ok := styles[style]
	if !ok {
		return nil, unknown("--style: unknown style", style, Styles())
	}
	if err := tree.check(); err != nil {
		return nil, err
	}
	m, err := tree.find()
	if err != nil {
		return nil, err
	}
	if m.packageName == "main" {
		return nil, fmt.Errorf("--package: %s is a program: expected the package in which the controller is built", tree.Package)
	}
	t, err := template.New(style).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	data := struct{ Name, Package, Folder string }{m.packageName, m.importPath, tree.Package}
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}
