package scenarios_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/expr"
)

var update = flag.Bool("update", false, "write the inventory of README.md anew")

// inventoryTitle is where the part of README.md begins that is made from the
// sources; it goes on to the end.
const inventoryTitle = "## What there is\n"

// TestInventory holds the lists of the reference against the sources.
func TestInventory(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	own, found, _ := strings.Cut(string(text), inventoryTitle)
	want := inventory(t)
	if *update {
		if err := os.WriteFile("README.md", []byte(own+inventoryTitle+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("README.md is not what there is: go test ./scenarios -run Inventory -update (-want +got):\n%s", diff)
	}
}

func inventory(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	table := func(intro string, head []string, rows [][]string) {
		fmt.Fprintf(&b, "\n%s\n\n", intro)
		for _, row := range append([][]string{head, slices.Repeat([]string{"---"}, len(head))}, rows...) {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	table("Controllers:", []string{"Type", "Variants"}, controllers())
	table("Stand-ins, and the processes that they are in traces and informer clocks:", []string{"Stand-in", "Process", "Can crash"}, standIns())
	table("Settings:", []string{"Setting", "Default", "What it is"}, settings())
	table("Kinds, and their functions in expressions:", []string{"Kind", "apiVersion", "One", "All"}, kinds())
	fmt.Fprintf(&b, "\nCEL's own functions are there, too, optional fields among them. For instance:\n\n")
	for _, example := range ofCEL {
		fmt.Fprintf(&b, "- %s\n", code(example))
	}
	table("Fixtures:", []string{"Fixture", "What it is"}, fixtureList(t))
	return b.String()
}

// ofCEL are conditions that use what CEL brings along.
var ofCEL = []string{
	`has(vmi("default/vm").status.migrationState)`,
	`pods().exists(p, p.metadata.name.startsWith("virt-launcher-") && p.status.phase == "Running")`,
	`pods().filter(p, p.?spec.?nodeName.orValue("") == "node-b").size() <= 1`,
	`pods().all(p, !has(p.metadata.deletionTimestamp))`,
	`"node-a" in nodes().map(n, n.metadata.name)`,
	`port("vm.default").options["requested-chassis"].split(",").size() == 2`,
	`vm("default/vm").?status.?printableStatus.orValue("").matches("^(Running|Migrating)$")`,
}

// TestExamplesOfCEL makes sure that the examples of the inventory are conditions.
func TestExamplesOfCEL(t *testing.T) {
	for _, example := range ofCEL {
		if _, err := sim.Conditions().Compile(example); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
}

func code(words ...string) string {
	for i, w := range words {
		words[i] = "`" + w + "`"
	}
	return strings.Join(words, ", ")
}

func controllers() (rows [][]string) {
	for _, s := range sim.Subjects() {
		rows = append(rows, []string{code(s.Type), code(slices.Clone(s.Variants)...)})
	}
	return append(rows, []string{code(sim.TypeTree), "sets of patches: `all`, `none`, `only-X`, `without-X`"})
}

func standIns() (rows [][]string) {
	c := sim.Catalog()
	for _, name := range c.StandIns {
		crash := "no"
		if slices.Contains(c.Killable, c.Processes[name]) {
			crash = "yes"
		}
		rows = append(rows, []string{code(name), code(c.Processes[name]), crash})
	}
	return rows
}

func settings() (rows [][]string) {
	for _, d := range cluster.Describe() {
		rows = append(rows, []string{code(d.Key), code(d.Default), d.About})
	}
	return rows
}

func kinds() (rows [][]string) {
	all := sim.Catalog().Kinds
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k, key := all[name], "name"
		if k.Namespaced {
			key = "namespace/name"
		}
		rows = append(rows, []string{code(name), code(k.APIVersion), code(fmt.Sprintf("%s(%q)", k.Func, key)), code(expr.Kind{Func: k.Func}.ListFunc() + "()")})
	}
	return rows
}

// fixtureList takes the first sentence of each fixture's comment.
func fixtureList(t *testing.T) (rows [][]string) {
	t.Helper()
	files, err := fs.Glob(fixtures.FS, "*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(fixtures.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nkind: Fixture\n") {
			continue // the schemas of custom resources
		}
		var comment []string
		for line := range strings.Lines(string(text)) {
			words, is := strings.CutPrefix(line, "# ")
			if !is {
				break
			}
			comment = append(comment, strings.TrimSpace(words))
		}
		sentence, _, _ := strings.Cut(strings.Join(comment, " ")+" ", ". ")
		if sentence == "" || sentence == " " {
			t.Errorf("%s: expected a comment at its top that says what it is", file)
		}
		sentence, _, _ = strings.Cut(sentence, " (kubevirt-behaviour")
		rows = append(rows, []string{code(strings.TrimSuffix(file, ".yaml")), strings.TrimSuffix(sentence, ".")})
	}
	return rows
}
