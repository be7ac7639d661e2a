package expr

import "testing"

func TestMapsIterateInTheOrderOfTheirKeys(t *testing.T) {
	options := m{}
	for _, key := range "qwertyuiopasdfghjklzxcvbnm" {
		options[string(key)] = string(key)
	}
	world := objects{"LogicalSwitchPort": {"p": m{"options": options, "list": []any{m{"inner": options}}}}}
	for _, source := range []string{
		`port("p").options.map(k, k)[0] == "a"`,
		`port("p").list[0].inner.filter(k, k > "c")[0] == "d"`,
		`ports()[0].options.map(k, port("p").options[k])[25] == "z"`,
		`port("p").options == ports()[0].list[0].inner`,
		`port("p").options.size() == 26 && "q" in port("p").options`,
	} {
		p, err := testEnv(t).Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if ok, err := p.Eval(world); !ok {
				t.Fatalf("%s is false (%v)", source, err)
			}
		}
	}
}
