package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// JSONSchema is a JSON schema of scenarios and fixtures, for editors: it
// completes the fields and the names of the catalog. It knows the form of a
// file and not how its parts refer to each other, so it finds less than Load.
func JSONSchema(cat Catalog) []byte {
	c := schemas{cat}
	root := schema{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"title":   "vmreplay " + APIVersion,
		"oneOf":   []schema{c.scenario(), c.fixture()},
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("a schema of maps, lists and texts became no JSON: %v", err))
	}
	return append(text, '\n')
}

type schema map[string]any

type schemas struct{ cat Catalog }

var (
	anyText    = schema{"type": "string", "minLength": 1}
	anyScalar  = schema{"type": []string{"string", "number", "boolean"}}
	anyObject  = schema{"type": "object"}
	anyList    = listOf(anyText)
	expression = schema{"type": []string{"string", "boolean"}, "description": "a CEL expression"}
	duration   = schema{"type": "string", "pattern": `^[0-9.]+(ns|us|µs|ms|s|m|h)([0-9.]+(ns|us|µs|ms|s|m|h))*$`, "description": "a duration: 250ms, 61s, 1m30s"}
	offset     = schema{"type": "string", "pattern": `^-?[0-9.]+(ns|us|µs|ms|s|m|h)([0-9.]+(ns|us|µs|ms|s|m|h))*$`, "description": "a duration that may be negative: 30s, -30s"}
	instant    = schema{"type": "string", "minLength": 1, "description": "a duration since the start, or the name of an event"}
	key        = schema{"type": "string", "minLength": 1, "description": "namespace/name, or name"}
)

func constant(s string) schema { return schema{"type": "string", "enum": []string{s}} }

func listOf(item schema) schema { return schema{"type": "array", "items": item} }

func words(all []string) schema {
	return schema{"type": "string", "enum": slices.Sorted(slices.Values(all))}
}

func keys[V any](m map[string]V) schema { return words(slices.Collect(maps.Keys(m))) }

// closed is a mapping with these fields and no others.
func closed(properties map[string]schema, required ...string) schema {
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// exactlyOneField demands one of a group of fields.
func exactlyOneField(names ...string) schema {
	var alternatives []schema
	for _, name := range names {
		alternatives = append(alternatives, schema{"required": []string{name}})
	}
	return schema{"oneOf": alternatives}
}

func (c schemas) scenario() schema {
	metadata := closed(map[string]schema{"name": anyText, "labels": anyList, "control": {"type": "boolean"}}, "name")
	controller := closed(map[string]schema{
		"name": anyText, "type": keys(c.cat.Controllers), "leaderElection": key,
		"replicas": {"type": "integer", "minimum": 1, "maximum": mostReplicas},
	}, "name", "type")
	return closed(map[string]schema{
		"apiVersion":    constant(APIVersion),
		"kind":          constant(KindScenario),
		"metadata":      metadata,
		"description":   anyText,
		"given":         c.given(),
		"controllers":   {"type": "array", "minItems": 1, "items": controller},
		"timeline":      listOf(c.event()),
		"informerClock": listOf(c.informerClock()),
		"schedule":      listOf(c.perturbation()),
		"seed":          {"type": "integer", "minimum": 0},
		"grace":         duration,
		"until":         duration,
		"expect":        listOf(c.check()),
		"verdicts":      c.verdicts(),
	}, "apiVersion", "kind", "metadata", "controllers", "until", "verdicts")
}

func (c schemas) fixture() schema {
	return closed(map[string]schema{
		"apiVersion":  constant(APIVersion),
		"kind":        constant(KindFixture),
		"description": anyText,
		"include":     anyList,
		"objects":     listOf(c.object()),
	}, "apiVersion", "kind")
}

func (c schemas) given() schema {
	settings := map[string]schema{}
	for name := range c.cat.Settings {
		settings[name] = anyScalar
	}
	return closed(map[string]schema{
		"fixtures": anyList,
		"objects":  listOf(c.object()),
		"standIns": listOf(words(c.cat.StandIns)),
		"settings": closed(settings),
	})
}

func (c schemas) object() schema {
	metadata := schema{"type": "object", "required": []string{"name"}, "properties": map[string]schema{"name": anyText, "namespace": anyText}}
	return schema{
		"type":       "object",
		"required":   []string{"apiVersion", "kind", "metadata"},
		"properties": map[string]schema{"apiVersion": anyText, "kind": words(c.cat.objectKinds()), "metadata": metadata},
	}
}

func (c schemas) event() schema {
	kind := keys(c.cat.Kinds)
	s := closed(map[string]schema{
		"name": anyText, "at": duration, "when": expression, "once": anyText, "after": duration,

		"apply":  c.object(),
		"patch":  closed(map[string]schema{"kind": kind, "name": key, "subresource": constant("status"), "merge": anyObject}, "kind", "name", "merge"),
		"delete": closed(map[string]schema{"kind": kind, "name": key, "selector": anyText, "gracePeriod": duration, "propagation": words(propagations)}, "kind"),
		"bind":   closed(map[string]schema{"pod": key, "node": anyText}, "pod", "node"),
		"cordon": anyText, "uncordon": anyText, "evict": {"anyOf": []schema{key, closed(map[string]schema{"selector": anyText}, "selector")}}, "crash": anyText, "restart": anyText,
		"mark": {"type": "boolean", "enum": []bool{true}},
	})
	s["allOf"] = []schema{exactlyOneField("at", "when", "once"), exactlyOneField(actions...)}
	return s
}

func (c schemas) perturbation() schema {
	s := closed(map[string]schema{
		"variants": listOf(c.variant()), "point": anyText, "delay": duration, "status": {"type": "integer", "minimum": 400, "maximum": 599},
		"reset": {"type": "boolean"}, "lost": {"type": "boolean"},
		"break": words([]string{string(engine.BreakAgain), string(engine.BreakGone)}),
		"crash": words([]string{string(engine.CrashBefore), string(engine.CrashAfter)}), "restart": duration, "repeat": duration,
		"stale": duration, "clock": offset, "pause": duration, "steal": {"type": "boolean"},
	}, "point")
	return s
}

func (c schemas) informerClock() schema {
	hold := closed(map[string]schema{"from": instant, "until": instant}, "from")
	s := closed(map[string]schema{
		"process": anyText, "kind": keys(c.cat.Kinds), "object": key, "lag": duration, "hold": hold,
	}, "process", "kind")
	s["allOf"] = []schema{exactlyOneField("lag", "hold")}
	return s
}

func (c schemas) check() schema {
	atLeast := func(least int) schema { return schema{"type": "integer", "minimum": least} }
	s := closed(map[string]schema{
		"name": anyText, "variants": listOf(c.variant()), "written": {"type": "boolean"},
		"eventually": expression, "within": duration, "of": instant, "ofWhen": expression, "lasting": {"type": "boolean"},
		"always": expression, "never": expression,
		"stays": expression, "for": duration,
		"backoff": closed(map[string]schema{
			"process": anyText, "queue": anyText, "key": anyText, "first": duration, "factor": atLeast(1), "cap": duration, "attempts": atLeast(0),
		}, "process", "queue", "key", "first", "factor", "cap"),
		"rate": closed(map[string]schema{
			"process": anyText, "verb": words(verbs), "kind": keys(c.cat.Kinds), "object": key, "atMost": atLeast(0), "per": duration,
		}, "atMost", "per"),
		"quiet":      closed(map[string]schema{"process": anyText, "from": instant}, "from"),
		"leaderOnly": key, "sometimes": expression,
	}, "name")
	s["allOf"] = []schema{exactlyOneField(sorts...)}
	return s
}

func (c schemas) variant() schema {
	all := map[string]bool{}
	for _, variants := range c.cat.Controllers {
		for _, v := range variants {
			all[v] = true
		}
	}
	return keys(all)
}

func (c schemas) verdicts() schema {
	red := map[string]schema{}
	for _, v := range c.variant()["enum"].([]string) {
		red[v] = schema{"type": "array", "minItems": 1, "items": anyText}
	}
	return closed(map[string]schema{"green": listOf(c.variant()), "red": closed(red)})
}
