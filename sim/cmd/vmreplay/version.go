package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// libraries are the modules whose version can change a verdict.
var libraries = []string{"k8s.io/client-go", "kubevirt.io/api", "sigs.k8s.io/controller-runtime"}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the versions of vmreplay, Go and the Kubernetes libraries",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			own, deps := "unknown", map[string]string{}
			if info, ok := debug.ReadBuildInfo(); ok {
				own = info.Main.Version
				for _, m := range info.Deps {
					deps[m.Path] = m.Version
				}
			}
			var b strings.Builder
			fmt.Fprintf(&b, "vmreplay %s\n%s %s/%s\n", own, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			for _, path := range libraries {
				if v, ok := deps[path]; ok {
					fmt.Fprintf(&b, "%s %s\n", path, v)
				}
			}
			_, err := io.WriteString(a.out, b.String())
			return err
		},
	}
}
