package main

import (
	"fmt"
	"strings"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report"
)

// toReport is a result as the reports know it.
func toReport(r *sim.Result) report.Result {
	out := report.Result{
		Scenario: r.Story.Metadata.Name, Path: r.Story.Pos.File,
		Controller: r.Story.Type(), Variant: r.Variant,
		Verdict: verdict(r.Red() || r.Status != sim.Judged), Expected: verdict(len(r.Story.Expected(r.Variant)) > 0),
		Unexpected: r.Surprise(), Value: r.Value,
		Hash: r.Trace.Hash, VirtualSeconds: r.Trace.End.Seconds(), Steps: len(r.Trace.Steps),
		Status: string(r.Status), Detail: r.Detail,
		Replay: fmt.Sprintf("vmreplay show %s --variant %s --seed %d", quote(r.Story.Pos.File), r.Variant, r.Seed),
	}
	for _, c := range r.Checks {
		out.Checks = append(out.Checks, report.Check{
			Name: c.Name, OK: c.OK, Message: c.Message, At: c.At,
			File: c.Pos.File, Line: c.Pos.Line, Column: c.Pos.Column,
		})
	}
	return out
}

func verdict(red bool) string {
	if red {
		return report.Fail
	}
	return report.Pass
}

// quote makes a path one word for a shell.
func quote(path string) string {
	if !strings.ContainsAny(path, " \t'\"\\$`&|;<>()*?[]{}#~!") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
