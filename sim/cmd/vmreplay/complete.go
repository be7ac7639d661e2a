package main

import (
	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report/files"
)

// complete lets a shell complete what a command that plays scenarios takes: the
// names of its flags' values, and the paths of scenarios.
func (s *selection) complete(c *cobra.Command) {
	completeVariants(c, all)
	completeWords(c, "controller", types()...)
	c.ValidArgsFunction = completeScenarios
}

// completeVariants completes --variant: with the variants of all controllers, and
// further words.
func completeVariants(c *cobra.Command, further ...string) {
	for _, subject := range sim.Subjects() {
		further = append(further, subject.Variants...)
	}
	completeWords(c, "variant", further...)
}

// completeScenarios completes arguments with folders and YAML files.
func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeWords completes the value of a flag, if the command has that flag.
func completeWords(c *cobra.Command, flag string, words ...string) {
	completeFlag(c, flag, words, cobra.ShellCompDirectiveNoFileComp)
}

// completeReports completes the forms of --report; the path comes behind them.
func completeReports(c *cobra.Command) {
	var forms []string
	for _, name := range files.Names() {
		forms = append(forms, name+"=")
	}
	completeFlag(c, "report", forms, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp)
}

func completeFlag(c *cobra.Command, flag string, words []string, how cobra.ShellCompDirective) {
	if c.Flags().Lookup(flag) == nil {
		return
	}
	answer := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return words, how }
	if err := c.RegisterFlagCompletionFunc(flag, answer); err != nil {
		panic(err) // it is registered twice: a mistake of the program
	}
}
