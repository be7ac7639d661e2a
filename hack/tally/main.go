// Command tally reads what the test tools print, shows it in a short form, and
// counts what ran. It knows the formats of go test -json, of Ginkgo's closing
// lines and of TAP, and nothing of the product.
//
//	go test -json ./... | tally go -o go.json
//	bats --tap a.bats b.bats | tally bats -o bats.json a.bats b.bats
//	tally sum -status 0 FOLDER go bats
//
// A skipped test, a declared test that did not run and a tool that left no
// counts are failures: a gate must not turn green by running less.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

var errUsage = errors.New("usage: tally go -o FILE | tally bats -o FILE BATS_FILE... | tally sum [-status N] FOLDER NAME [NAME...]")

func main() {
	ok, err := run(os.Args[1:], os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run carries out one command. It reports whether everything passed.
func run(args []string, in io.Reader, out io.Writer) (bool, error) {
	if len(args) == 0 {
		return false, errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error
	file := flags.String("o", "", "write the counts to this file")
	status := flags.Int("status", 0, "exit status of the steps that ran")
	if err := flags.Parse(args[1:]); err != nil {
		return false, err
	}
	switch args[0] {
	case "go":
		return count(*file, func() (Counts, error) { return goTest(in, out) })
	case "bats":
		return count(*file, func() (Counts, error) { return bats(in, out, flags.Args()) })
	case "sum":
		if flags.NArg() < 2 {
			return false, errUsage
		}
		return sum(out, flags.Arg(0), flags.Args()[1:], *status)
	}
	return false, errUsage
}

func count(file string, tool func() (Counts, error)) (bool, error) {
	if file == "" {
		return false, errUsage
	}
	c, err := tool()
	if err != nil {
		return false, err
	}
	return c.green(), c.write(file)
}
