package scenario_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/vmreplay/vmreplay/sim/scenario"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

func jsonSchema(t *testing.T) *spec.Schema {
	t.Helper()
	var s spec.Schema
	if err := json.Unmarshal(scenario.JSONSchema(catalog()), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func matches(t *testing.T, text string) error {
	t.Helper()
	var content any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return validate.AgainstSchema(jsonSchema(t), content, strfmt.Default)
}

func TestSchemaAcceptsWhatLoads(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"smallest", with(base, "")},
		{"setting that is a boolean", with(base, "given: {settings: {note: true}}")},
		{"control", with(base, "metadata: {name: story, control: true}\nverdicts: {green: [none, scheduling-retry, target-pod-retry, both, wake]}")},
		{"fixture", fixture("description: Nothing.\ninclude: [vmim/two-nodes]\nobjects: [{apiVersion: v1, kind: Node, metadata: {name: a}}]")},
		{"smallest fixture", fixture("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := matches(t, c.text); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"unknown field", "metdata: {name: story}"},
		{"unknown variant", "verdicts: {green: [noone]}"},
		{"unknown stand-in", "given: {standIns: [kubelt]}"},
		{"unknown setting", "given: {settings: {nothing: 5ms}}"},
		{"unknown kind", "given: {objects: [{apiVersion: v1, kind: Pode, metadata: {name: a}}]}"},
		{"object without a name", "given: {objects: [{apiVersion: v1, kind: Pod, metadata: {}}]}"},
		{"number for a duration", "until: 60"},
		{"event without a time", "timeline: [{crash: ctl}]"},
		{"event with two actions", "timeline: [{at: 1s, crash: ctl, restart: ctl}]"},
		{"check of two sorts", "expect: [{name: fine, always: 'true', never: 'false'}]"},
		{"other kind", "kind: Story"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if matches(t, with(base, c.text)) == nil {
				t.Error("the schema accepts it")
			}
		})
	}
}

// TestSchemaHasEveryField compares the schema with the scenario in which every
// field stands once.
func TestSchemaHasEveryField(t *testing.T) {
	text, err := os.ReadFile("testdata/full/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := matches(t, string(text)); err != nil {
		t.Error(err)
	}
	scenarioSchema := jsonSchema(t).OneOf[0]
	everyField(&scenarioSchema, func(name string) {
		if !regexp.MustCompile(`\b`+name+`:`).Match(text) && name != "control" {
			t.Errorf("the field %q of the schema is not in testdata/full/full.yaml", name)
		}
	})
}

func everyField(s *spec.Schema, see func(string)) {
	for name, property := range s.Properties {
		see(name)
		if name != "red" { // its fields are variants
			everyField(&property, see)
		}
	}
	if s.Items != nil {
		everyField(s.Items.Schema, see)
	}
}

func TestSchemaIsTheSameEveryTime(t *testing.T) {
	first := scenario.JSONSchema(catalog())
	for range 10 {
		if !bytes.Equal(first, scenario.JSONSchema(catalog())) {
			t.Fatal("the schema differs from one call to the next")
		}
	}
}
