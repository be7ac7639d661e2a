package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/gate"
	"github.com/vmreplay/vmreplay/sim/wholefile"
)

//go:embed skeleton.yaml
var skeleton string

// scenarioName is what a scenario may be called.
var scenarioName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

func (a *app) newCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "new scenario",
		Short: "write the skeleton of a scenario",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return unknown("new", "thing", args[0], []string{"scenario"})
		},
	}
	var controller, process string
	s := &cobra.Command{
		Use:   "scenario NAME",
		Short: "write a scenario with comments, to be filled in",
		Long: `new scenario writes a scenario that is valid and runs: a story of a controller in
which one thing happens, with comments on what else could stand there. NAME may be
a path; the file is NAME.yaml. A file that is there is never overwritten.`,
		Example: `  vmreplay new scenario scenarios/vmim/pod-comes-late`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.newScenario(args[0], controller, process) },
	}
	s.Flags().StringVar(&controller, "controller", "vmim", "the type of controller: "+strings.Join(types(), ", ")+", or "+sim.TypeTree+" for one in its own source tree")
	s.Flags().StringVar(&process, "process", "", "the controller's process: for one in its own source tree, the name that its binding serves")
	completeWords(s, "controller", append(types(), sim.TypeTree)...)
	c.AddCommand(s)
	return c
}

func (a *app) newScenario(path, controller, process string) error {
	path = strings.TrimSuffix(strings.TrimSuffix(path, ".yaml"), ".yml") + ".yaml"
	name := strings.TrimSuffix(filepath.Base(path), ".yaml")
	if !scenarioName.MatchString(name) {
		return fmt.Errorf("%q: expected a name of lower-case letters, digits, dots and dashes", name)
	}
	variants, known := sim.Catalog().Controllers[controller]
	if !known {
		return unknown("--controller", "type of controller", controller, append(types(), sim.TypeTree))
	}
	run := "vmreplay run " + quote(path)
	if controller == sim.TypeTree {
		variants = []string{gate.None, gate.All} // those that every series of patches has
		run = "vmreplay run --tree DIR --package ./PKG --binding FILE " + quote(path)
	}
	switch {
	case process == "" && controller == "vmim":
		process = "kube-ovn-controller"
	case process == "":
		process = "controller"
	case !scenarioName.MatchString(process):
		return fmt.Errorf("--process: %q: expected a name of lower-case letters, digits, dots and dashes", process)
	}
	text, err := fill(name, controller, process, variants)
	if err != nil {
		return err
	}
	if err := wholefile.Create(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "wrote %s\n%s\n", path, run)
	return err
}

// scalar is a text as YAML has it: quoted, if it would be read as a number or a truth
// value.
func scalar(text string) string {
	b, err := yaml.Marshal(text)
	if err != nil {
		panic(err) // a string has a form in YAML
	}
	return strings.TrimSpace(string(b))
}

func fill(name, controller, process string, variants []string) ([]byte, error) {
	t, err := template.New("skeleton").Parse(skeleton)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Name": scalar(name), "Type": controller, "Process": scalar(process), "Variants": strings.Join(variants, ", "), "Migration": controller == "vmim",
	})
	return b.Bytes(), err
}
