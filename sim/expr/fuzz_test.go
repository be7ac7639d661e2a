package expr

import (
	"errors"
	"testing"
)

func FuzzCompileAndEval(f *testing.F) {
	for _, source := range []string{
		`vmim("default/migration").status.phase == "Scheduling"`,
		`pod("default/target").?spec.?nodeName.orValue("") == ""`,
		`pods().exists(p, p.spec.nodeName == "node-a") || node("node-a").spec.unschedulable`,
		`port("vm.default").options["requested-chassis"].split(",")[1] == "b"`,
		`has(pod("default/source").spec.nodeName) ? pod(1) : null`,
		`pod("default/target").status.conditions[?0].?type.hasValue()`,
		`vmin(`, "\x00", `{"a": 1}.a == 1 && [1,2][3] < 4u`, `pods()[0].metadata.name == node(pods()[9]).x`,
	} {
		f.Add(source)
	}
	env, err := NewEnv(kinds)
	if err != nil {
		f.Fatal(err)
	}
	world := testWorld()
	f.Fuzz(func(t *testing.T, source string) {
		p, err := env.Compile(source)
		var bad *Error
		if errors.As(err, &bad) {
			if bad.Line < 1 || bad.Column < 1 || bad.Message == "" {
				t.Errorf("error without place or message: %#v", bad)
			}
			return
		}
		if err != nil {
			t.Fatalf("error of another type: %v", err)
		}
		truth, err := p.Eval(world)
		if truth && err != nil {
			t.Errorf("true and %v", err)
		}
		again, _ := p.Eval(world)
		if truth != again {
			t.Errorf("first %v, then %v", truth, again)
		}
		p.Values(world)
	})
}
