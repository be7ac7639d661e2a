package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim/gate"
	"github.com/vmreplay/vmreplay/sim/wholefile"
)

func (a *app) bindCommand() *cobra.Command {
	var tree gate.Tree
	var style, output string
	c := &cobra.Command{
		Use:   "bind --tree DIR --package ./PKG --style STYLE",
		Short: "write a binding to start from: the test file that builds your controller",
		Long: `bind prints a commented test file for the controller's package. It compiles as it
is, and its comments say what to put where. Fill it in, keep it where you like, and
give it to run or gate with --binding: the tree itself is not touched.`,
		Example: `  vmreplay bind --tree ~/portmover --package ./migration --style client-go --out binding_test.go`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if tree.Dir == "" {
				return errors.New("--tree: expected the folder of a controller's source, found nothing")
			}
			text, err := gate.Bind(tree, style)
			if err != nil {
				return err
			}
			if output == "" {
				_, err := a.out.Write(text)
				return err
			}
			if err := wholefile.Create(output, text); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&tree.Dir, "tree", "", "the folder of the controller's source (required)")
	c.Flags().StringVar(&tree.Package, "package", ".", "the controller's package, a folder of the tree")
	c.Flags().StringVar(&tree.ModFile, "modfile", "", "a file of the tree to use in place of its go.mod")
	c.Flags().StringVar(&style, "style", "client-go", strings.Join(gate.Styles(), " or "))
	c.Flags().StringVar(&output, "out", "", "write to this new file, and not to standard output")
	completeWords(c, "style", gate.Styles()...)
	return c
}
