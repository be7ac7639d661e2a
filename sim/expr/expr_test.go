package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var kinds = []Kind{
	{"VirtualMachineInstanceMigration", "vmim", true},
	{"VirtualMachineInstance", "vmi", true},
	{"Pod", "pod", true},
	{"Node", "node", false},
	{"LogicalSwitchPort", "port", false},
	{"NetworkPolicy", "policy", true},
}

// objects is a World made of maps.
type objects map[string]map[string]map[string]any // kind, key

func (o objects) Object(kind, key string) map[string]any { return o[kind][key] }

func (o objects) Objects(kind string) []map[string]any {
	var keys []string
	for key := range o[kind] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var list []map[string]any
	for _, key := range keys {
		list = append(list, o[kind][key])
	}
	return list
}

type m = map[string]any

func named(namespace, name string, more m) m {
	meta := m{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	o := m{"metadata": meta}
	for k, v := range more {
		o[k] = v
	}
	return o
}

func testWorld() objects {
	return objects{
		"VirtualMachineInstanceMigration": {"default/migration": named("default", "migration", m{
			"status": m{"phase": "Scheduling", "retries": int64(3), "load": 0.5, "nothing": nil}})},
		"Pod": {
			"default/source": named("default", "source", m{"spec": m{"nodeName": "node-a"}, "status": m{"phase": "Running"}}),
			"default/target": named("default", "target", m{"spec": m{}, "status": m{"phase": "Pending",
				"conditions": []any{m{"type": "PodScheduled", "status": "False"}}}}),
		},
		"Node":              {"node-a": named("", "node-a", m{"spec": m{"unschedulable": true}})},
		"LogicalSwitchPort": {"vm.default": named("", "vm.default", m{"options": m{"requested-chassis": "node-a,node-b"}})},
	}
}

func testEnv(t testing.TB) *Env {
	t.Helper()
	env, err := NewEnv(kinds)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestEval(t *testing.T) {
	tests := []struct {
		name   string
		source string
		want   bool
		err    string
	}{
		{"field", `vmim("default/migration").status.phase == "Scheduling"`, true, ""},
		{"other value", `vmim("default/migration").status.phase == "Running"`, false, ""},
		{"index", `port("vm.default").options["requested-chassis"] == "node-a,node-b"`, true, ""},
		{"integer", `vmim("default/migration").status.retries == 3`, true, ""},
		{"integer against a fraction", `vmim("default/migration").status.retries > 2.5`, true, ""},
		{"fraction", `vmim("default/migration").status.load < 1`, true, ""},
		{"boolean field alone", `node("node-a").spec.unschedulable`, true, ""},
		{"list element", `pod("default/target").status.conditions[0].status == "False"`, true, ""},
		{"exists", `pod("default/target").status.conditions.exists(c, c.type == "PodScheduled" && c.status == "False")`, true, ""},
		{"present object", `pod("default/source") != null`, true, ""},
		{"absent object", `pod("default/other") == null`, true, ""},
		{"list", `pods().size() == 2`, true, ""},
		{"list is sorted", `pods().map(p, p.metadata.name) == ["source", "target"]`, true, ""},
		{"empty list", `vmis().size() == 0`, true, ""},
		{"plural of y", `policies() == []`, true, ""},
		{"optional field", `pod("default/target").?spec.?nodeName.orValue("") == ""`, true, ""},
		{"optional field of an absent object", `pod("default/other").?spec.?nodeName.orValue("none") == "none"`, true, ""},
		{"optional index", `port("vm.default").?options[?"none"].hasValue()`, false, ""},
		{"has a field", `has(pod("default/source").spec.nodeName)`, true, ""},
		{"has no field", `has(pod("default/target").spec.nodeName)`, false, ""},
		{"explicit null", `vmim("default/migration").status.nothing == null`, true, ""},
		{"computed key", `pod("default/" + "source").spec.nodeName == "node-a"`, true, ""},
		{"key read from an object", `node(pod("default/source").spec.nodeName).spec.unschedulable`, true, ""},
		{"string functions", `port("vm.default").options["requested-chassis"].split(",")[1] == "node-b"`, true, ""},
		{"short circuit around an absent object", `pod("default/other") != null && pod("default/other").status.phase == "Running"`, false, ""},
		{"or around an absent object", `vmi("default/vm").status.phase == "Running" || pod("default/source") != null`, true, ""},
		{"constant", `1 < 2`, true, ""},

		{"absent object's field", `vmi("default/vm").status.phase == "Running"`, false, `vmi("default/vm") does not exist`},
		{"absent field", `vmim("default/migration").status.endTime == ""`, false, `vmim("default/migration").status.endTime is not set`},
		{"absent field on the way", `pod("default/source").status.a.b == ""`, false, `pod("default/source").status.a is not set`},
		{"absent index", `port("vm.default").options["a-b"] == ""`, false, `port("vm.default").options["a-b"] is not set`},
		{"list too short", `pod("default/target").status.conditions[4].status == ""`, false, `pod("default/target").status.conditions[4] is not set`},
		{"absent under has", `has(vmi("default/vm").status.phase)`, false, `vmi("default/vm") does not exist`},
		{"the part that failed is named", `has(pod("default/target").spec.nodeName) || vmi("default/vm").status.phase == ""`, false, `vmi("default/vm") does not exist`},
		{"absent in a comprehension", `pods().all(p, p.spec.nodeName == "node-a")`, false, `p.spec.nodeName is not set`},
		{"absent object of a computed key", `pod("default/" + "x").spec.nodeName == ""`, false, `pod("default/" + "x").spec is not set`},
		{"key of another type", `pod(vmim("default/migration").status.retries) == null`, false, `pod(vmim("default/migration").status.retries): the key is a int, not a string`},
		{"not a boolean", `pod("default/source").spec.nodeName`, false, `the expression is not true or false: found a string`},
		{"order of different types", `vmim("default/migration").status.phase < 3`, false,
			`vmim("default/migration").status.phase < 3: the values are not of types that go together`},
		{"mistake in a comprehension", `pods().exists(p, p.status < 3)`, false, `p.status < 3: the values are not of types that go together`},
		{"field of a string", `pod("default/source").spec.nodeName.x == ""`, false, `pod("default/source").spec.nodeName.x is not set`},
		{"division by zero", `1 / (vmim("default/migration").status.retries - 3) == 1`, false, `1 / (vmim("default/migration").status.retries - 3): division by zero`},
	}
	env, world := testEnv(t), testWorld()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := env.Compile(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Eval(world)
			if got != tt.want {
				t.Errorf("%s is %v (%v), want %v", tt.source, got, err, tt.want)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if tt.err == "" && err != nil || !strings.Contains(text, tt.err) {
				t.Errorf("%s: error %q, want %q", tt.source, text, tt.err)
			}
		})
	}
}

func TestEvalSaysWhetherTheObjectIsAbsent(t *testing.T) {
	tests := []struct {
		name   string
		source string
		want   *Absent
	}{
		{"object", `vmi("default/vm").status.phase == ""`, &Absent{Path: `vmi("default/vm")`, Object: true}},
		{"field", `pod("default/target").spec.nodeName == ""`, &Absent{Path: `pod("default/target").spec.nodeName`}},
		{"of a variable", `pods().all(p, p.spec.nodeName == "node-a")`, &Absent{Path: "p.spec.nodeName"}},
		{"mistake", `vmim("default/migration").status.phase < 3`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := testEnv(t).Compile(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Eval(testWorld())
			var got *Absent
			errors.As(err, &got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// An expression that would loop for minutes ends with an error.
func TestEvalIsBounded(t *testing.T) {
	source := "1 == 2"
	for i := range 12 {
		source = fmt.Sprintf("[0,1,2,3,4,5,6,7,8,9].all(x%d, %s || x%d >= 0)", i, source, i)
	}
	p, err := testEnv(t).Compile(strings.Replace(source, "1 == 2", "pods().size() == 0", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Eval(objects{}); err == nil || !strings.Contains(err.Error(), "cost limit") {
		t.Errorf("got %v, want an error about the cost limit", err)
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		name   string
		source string
		want   []string
	}{
		{"none", `true`, nil},
		{"one, read twice", `pod("a/b") == null || pods() == []`, []string{"Pod"}},
		{"in a comprehension and a key", `pods().exists(p, node(p.spec.nodeName) == null)`, []string{"Node", "Pod"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := testEnv(t).Compile(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.Kinds()); diff != "" {
				t.Errorf("kinds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestValues(t *testing.T) {
	tests := []struct {
		name   string
		source string
		want   []string
	}{
		{"field", `vmim("default/migration").status.phase == "Running"`,
			[]string{`vmim("default/migration").status.phase = "Scheduling"`}},
		{"each once, in order", `pod("default/source").spec.nodeName != "" && node("node-a").spec.unschedulable && pod("default/source").spec.nodeName != "x"`,
			[]string{`pod("default/source").spec.nodeName = "node-a"`, `node("node-a").spec.unschedulable = true`}},
		{"absent object", `vmi("default/vm").status.phase == "x"`, []string{`vmi("default/vm") = absent`}},
		{"absent optional field", `pod("default/target").?spec.?nodeName.orValue("") == ""`,
			[]string{`pod("default/target").spec.nodeName = absent`}},
		{"presence", `pod("default/target") != null && pod("default/x") != null`,
			[]string{`pod("default/target") = present`, `pod("default/x") = absent`}},
		{"list", `pods().exists(p, p.spec.nodeName == "")`, []string{`pods() = [default/source default/target]`}},
		{"map", `port("vm.default").options == {}`, []string{`port("vm.default").options = {"requested-chassis":"node-a,node-b"}`}},
		{"key inside a computed key", `node(pod("default/source").spec.nodeName) == null`, []string{`pod("default/source").spec.nodeName = "node-a"`}},
		{"none", `true`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := testEnv(t).Compile(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range p.Values(testWorld()) {
				got = append(got, v.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}
