package scenario_test

import "testing"

func TestBadGiven(t *testing.T) {
	testBad(t, []bad{
		{
			name: "given is a list",
			text: `given: []`,
			want: `story.yaml:1:8: given: expected a mapping, found a list`,
		},
		{
			name: "unknown fixture",
			text: `given: {fixtures: [vmim/two-node]}`,
			want: `story.yaml:1:20: unknown fixture "vmim/two-node" (did you mean "vmim/two-nodes"?)`,
		},
		{
			name: "fixture outside by dots",
			text: `
given:
  fixtures: [../secrets]`,
			want: `story.yaml:2:14: fixture "../secrets": expected a name below the folder fixtures of the scenario's tree, like vmim/two-nodes`,
		},
		{
			name: "fixture outside by root",
			text: `given: {fixtures: [/etc/passwd]}`,
			want: `story.yaml:1:20: fixture "/etc/passwd": expected a name below the folder fixtures of the scenario's tree, like vmim/two-nodes`,
		},
		{
			name: "fixture twice",
			text: `given: {fixtures: [vmim/two-nodes, vmim/two-nodes]}`,
			want: `story.yaml:1:36: fixture: "vmim/two-nodes" is here twice`,
		},
		{
			name: "unknown stand-in",
			text: `given: {standIns: [kubelt]}`,
			want: `story.yaml:1:20: unknown stand-in "kubelt" (did you mean "kubelet"?)`,
		},
		{
			name: "unknown setting",
			text: `given: {settings: {scheduler.latancy: 5ms}}`,
			want: `story.yaml:1:20: unknown setting "scheduler.latancy" (did you mean "scheduler.latency"?)`,
		},
		{
			name: "wrong value of a setting",
			text: `given: {settings: {scheduler.latency: fast}}`,
			want: `story.yaml:1:39: setting "scheduler.latency": expected a duration like 5ms, found "fast"`,
		},
		{
			name: "setting without a value",
			text: `given: {settings: {note: }}`,
			want: `story.yaml:1:26: setting "note": expected a value, found nothing`,
		},
		{
			name: "object of an unknown kind",
			text: `given: {objects: [{apiVersion: v1, kind: Pode, metadata: {name: a, namespace: b}}]}`,
			want: `story.yaml:1:42: unknown kind "Pode" (did you mean "Node"?)`,
		},
		{
			name: "object of another version",
			text: `given: {objects: [{apiVersion: v2, kind: Pod, metadata: {name: a, namespace: b}}]}`,
			want: `story.yaml:1:32: the apiVersion of a Pod is v1, found v2`,
		},
		{
			name: "object without a namespace",
			text: `given: {objects: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]}`,
			want: `story.yaml:1:57: a Pod has a namespace: expected the field "namespace"`,
		},
		{
			name: "cluster-scoped object with a namespace",
			text: `given: {objects: [{apiVersion: v1, kind: Node, metadata: {name: a, namespace: b}}]}`,
			want: `story.yaml:1:79: a Node has no namespace: remove the field`,
		},
		{
			name: "object without anything",
			text: `given: {objects: [{}]}`,
			want: `
story.yaml:1:19: an object needs the field "apiVersion"
story.yaml:1:19: an object needs the field "kind"
story.yaml:1:19: an object needs the field "metadata"`,
		},
		{
			name: "object without a name",
			text: `given: {objects: [{apiVersion: v1, kind: Node, metadata: {}}]}`,
			want: `story.yaml:1:58: the metadata of an object needs the field "name"`,
		},
		{
			name: "object is no mapping",
			text: `given: {objects: [text]}`,
			want: `story.yaml:1:19: the object: expected a mapping, found the text "text"`,
		},
		{
			name: "metadata of an object is no mapping",
			text: `given: {objects: [{apiVersion: v1, kind: Node, metadata: a}]}`,
			want: `story.yaml:1:58: metadata: expected a mapping, found the text "a"`,
		},
		{
			name: "name of an object is a number",
			text: `given: {objects: [{apiVersion: v1, kind: Node, metadata: {name: 1}}]}`,
			want: `story.yaml:1:65: name: expected text, found the number 1`,
		},
		{
			name: "object that a fixture gave",
			text: `
given:
  fixtures: [vmim/two-nodes]
  objects: [{apiVersion: v1, kind: Node, metadata: {name: node-b}}]`,
			want: `story.yaml:3:13: Node node-b is given twice: first at fixtures/vmim/two-nodes.yaml:5:3`,
		},
		{
			name: "no number in JSON",
			text: `given: {objects: [{apiVersion: v1, kind: Node, metadata: {name: a}, x: .nan}]}`,
			want: `story.yaml:1:72: expected a JSON value, found the number .nan`,
		},
		{
			name: "tag that JSON has not",
			text: `given: {objects: [{apiVersion: v1, kind: Node, metadata: {name: a}, x: !!binary aGk=}]}`,
			want: `story.yaml:1:72: expected a JSON value, found "aGk=" with the tag !!binary`,
		},
		{
			name: "duplicate field in an object",
			text: `
given:
  objects:
  - apiVersion: v1
    kind: Node
    metadata: {name: a}
    spec: {a: 1, a: 2}`,
			want: `story.yaml:6:18: field "a" is here twice: first on line 6`,
		},
		{
			name: "merge of no mapping",
			text: `given: {objects: [{<<: 5, apiVersion: v1, kind: Node, metadata: {name: a}}]}`,
			want: `story.yaml:1:24: expected a mapping to merge, found the number 5`,
		},
		{
			name: "settings are a list",
			text: `given: {settings: [note]}`,
			want: `story.yaml:1:19: settings: expected a mapping, found a list`,
		},
		{
			name: "merge of a list with a text",
			text: `given: {objects: [{<<: [a], apiVersion: v1, kind: Node, metadata: {name: a}}]}`,
			want: `story.yaml:1:25: expected a mapping to merge, found the text "a"`,
		},
	})
}
