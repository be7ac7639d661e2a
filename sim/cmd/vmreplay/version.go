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

const aboutVersion = "print the versions of vmreplay, Go and the Kubernetes libraries"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: aboutVersion,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.out, versionText())
			return err
		},
	}
}

// versionFlag lets "vmreplay --version" print the same. It has no letter: -v says
// --verbose everywhere else.
func versionFlag(root *cobra.Command) {
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, aboutVersion)
}

func versionText() string { return strings.Join(versions(), "\n") + "\n" }

// versions are what can change a verdict, an entry each.
func versions() []string {
	own, deps := "unknown", map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		own = info.Main.Version
		for _, m := range info.Deps {
			deps[m.Path] = m.Version
		}
	}
	all := []string{"vmreplay " + own, fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)}
	for _, path := range libraries {
		if v, ok := deps[path]; ok {
			all = append(all, path+" "+v)
		}
	}
	return all
}
