package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/record"
)

// A Run is one result and, unless it could not be had, what happened in it.
type Run struct {
	report.Result
	Record *record.Record
}

// Options of a page.
type Options struct {
	// Versions are for the foot of the page: what made it.
	Versions []string
	// Live is an address below which the page asks, as long as it is open, whether
	// it is still the newest; empty for a page that is a file.
	Live string
	// Problem is why the page does not show the newest state; empty if it does.
	Problem string
}

// Write writes the page, or after an error nothing.
func Write(w io.Writer, runs []Run, o Options) error {
	view := view{Options: o, Blocks: blocks(runs), Style: style(), Script: script(), Policy: policy(o)}
	bundles := bundling{at: map[rowKey]int{}}
	for i, r := range runs {
		e := newEntry(i, r)
		e.Bundle = bundles.add(i, r)
		view.Runs = append(view.Runs, e)
		if !r.AsExpected() {
			view.Unexpected = append(view.Unexpected, e)
		}
	}
	var err error
	if view.Bundles, err = bundles.pack(); err != nil {
		return err
	}
	if view.Index, err = packedIndex(view.Runs); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := layout().Execute(&b, view); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

type view struct {
	Options
	Blocks     []block
	Runs       []entry
	Unexpected []entry
	Index      string
	Bundles    []string
	Style      template.CSS
	Script     template.JS
	Policy     string
}

//go:embed assets
var assets embed.FS

// scripts are the parts of the page's program, in the order in which they need
// each other.
var scripts = []string{"dom", "time", "table", "data", "yaml", "diff", "scale", "filter", "paint", "chart", "view", "details", "list", "compare", "main"}

var script = sync.OnceValue(func() template.JS {
	var b strings.Builder
	b.WriteString("'use strict';\n(() => {\n")
	for _, name := range scripts {
		b.Write(asset(name + ".js"))
	}
	b.WriteString("})();\n")
	return template.JS(b.String())
})

var style = sync.OnceValue(func() template.CSS { return template.CSS(asset("page.css")) })

var layout = sync.OnceValue(func() *template.Template {
	// visible is what the script's function of that name does: a name must look
	// like what it is.
	visible := template.FuncMap{"visible": report.Printable}
	return template.Must(template.New("page").Funcs(visible).Parse(string(asset("page.html"))))
})

// asset reads an embedded file; that one is missing would be a mistake of the build.
func asset(name string) []byte {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("page: " + err.Error())
	}
	return b
}

// policy allows the page's own script and style and nothing else: whatever a
// name or a message holds, it cannot run and cannot call out.
func policy(o Options) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	connect := "'none'"
	if o.Live != "" {
		connect = "'self'"
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; connect-src %s; base-uri 'none'; form-action 'none'",
		hash(string(script())), hash(string(style())), connect)
}
