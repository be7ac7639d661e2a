package expr

import "testing"

func BenchmarkEval(b *testing.B) {
	world := testWorld()
	for _, bm := range []struct{ name, source string }{
		{"field", `vmim("default/migration").status.phase == "Scheduling"`},
		{"absent object", `vmi("default/vm").status.phase == "Running"`},
		{"optional", `pod("default/target").?spec.?nodeName.orValue("") == ""`},
		{"exists", `pods().exists(p, p.spec.nodeName == "node-z")`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			p, err := testEnv(b).Compile(bm.source)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Eval(world)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	env := testEnv(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := env.Compile(`vmim("default/migration").status.phase == "Scheduling"`); err != nil {
			b.Fatal(err)
		}
	}
}
