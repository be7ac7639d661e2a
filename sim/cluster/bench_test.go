package cluster_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// BenchmarkMigration is one migration that succeeds, within a minute, with all
// stand-ins and a scripted network controller.
func BenchmarkMigration(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		w := newWorld(b, nil)
		w.playKubeOVN()
		w.create(time.Second, migration)
		w.Engine.Advance(time.Minute)
		if w.phase() != facts.PhaseSucceeded {
			b.Fatalf("want Succeeded, found %q", w.phase())
		}
	}
}

// BenchmarkDeadlock is one migration without network set-up, up to its end after
// 900 virtual seconds.
func BenchmarkDeadlock(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		w := newWorld(b, nil)
		w.create(time.Second, migration)
		w.Engine.Advance(16 * time.Minute)
		if w.phase() != facts.PhaseFailed {
			b.Fatalf("want Failed, found %q", w.phase())
		}
	}
}

// BenchmarkVMStart is one machine of KubeVirt, from its creation until it runs.
func BenchmarkVMStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		w := newVMWorld(b, nil)
		w.create(time.Second, virtualMachine("Always", ""))
		w.Engine.Advance(time.Minute)
		if got := field(w.Object(facts.KindVM, "default/vm"), "status", "printableStatus"); got != "Running" {
			b.Fatalf("want Running, found %q", got)
		}
	}
}

// BenchmarkSettledVM is a day in which nothing happens to a machine that runs.
func BenchmarkSettledVM(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		w := newVMWorld(b, nil)
		w.create(time.Second, virtualMachine("Always", ""))
		w.Engine.Advance(24 * time.Hour)
	}
}
