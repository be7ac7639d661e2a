package scenario_test

import "testing"

func TestBadFile(t *testing.T) {
	testBad(t, []bad{
		{
			name: "unknown field",
			text: `metdata: {name: story}`,
			want: `story.yaml:1:1: unknown field of the scenario "metdata" (did you mean "metadata"?)`,
		},
		{
			name: "unknown field without a near word",
			text: `zzz: 1`,
			want: `story.yaml:1:1: unknown field of the scenario "zzz": expected apiVersion, controllers, description, expect, given, grace, informerClock, kind, metadata, schedule, seed, timeline, until or verdicts`,
		},
		{
			name:  "not a mapping",
			whole: true,
			text:  `- a`,
			want:  `story.yaml:1:1: expected a Scenario (a mapping with apiVersion and kind), found a list`,
		},
		{
			name:  "no kind",
			whole: true,
			text: `
apiVersion: vmreplay/v1alpha1
metadata: {name: story}`,
			want: `story.yaml:1:1: expected a Scenario, found a file without the field "kind": write kind: Scenario`,
		},
		{
			name: "other kind",
			text: `kind: Fixture`,
			want: `story.yaml:1:7: expected kind: Scenario, found the text "Fixture"`,
		},
		{
			name: "other version",
			text: `apiVersion: v1`,
			want: `story.yaml:1:13: expected apiVersion: vmreplay/v1alpha1, found the text "v1"`,
		},
		{
			name:  "nothing needed is there",
			whole: true,
			text: `
apiVersion: vmreplay/v1alpha1
kind: Scenario`,
			want: `
story.yaml:1:1: the scenario needs the field "controllers"
story.yaml:1:1: the scenario needs the field "metadata"
story.yaml:1:1: the scenario needs the field "until"
story.yaml:1:1: the scenario needs the field "verdicts"`,
		},
		{
			name: "name is not the file's",
			text: `metadata: {name: tale}`,
			want: `story.yaml:1:18: the scenario's name is its file's name: expected "story", found "tale"`,
		},
		{
			name: "name is no text",
			text: `metadata: {name: 5}`,
			want: `story.yaml:1:18: name: expected text, found the number 5`,
		},
		{
			name: "metadata has a null name",
			text: `metadata: {name: }`,
			want: `story.yaml:1:18: name: expected text, found nothing`,
		},
		{
			name: "label twice",
			text: `metadata: {name: story, labels: [a, a]}`,
			want: `story.yaml:1:37: label: "a" is here twice`,
		},
		{
			name: "duplicate field",
			text: `
until: 1s
until: 2s`,
			want: `story.yaml:2:1: field "until" is here twice: first on line 1`,
		},
		{
			name: "field name is no text",
			text: `metadata: {name: story, 1: a}`,
			want: `story.yaml:1:25: expected text as the name of a field, found the number 1`,
		},
		{
			name: "control is no boolean",
			text: `metadata: {name: story, control: maybe}`,
			want: `story.yaml:1:34: control: expected true or false, found the text "maybe"`,
		},
		{
			name: "until without a unit",
			text: `until: 60`,
			want: `story.yaml:1:8: until: expected a duration like 61s, found the number 60 without a unit`,
		},
		{
			name: "until is negative",
			text: `until: -1s`,
			want: `story.yaml:1:8: until: -1s is negative`,
		},
		{
			name: "until is zero",
			text: `until: 0s`,
			want: `story.yaml:1:8: until: 0s is too short: expected more than 0`,
		},
		{
			name: "until is no duration",
			text: `until: soon`,
			want: `story.yaml:1:8: until: expected a duration like 61s, 250ms or 1m30s, found the text "soon"`,
		},
		{
			name: "until is a list",
			text: `until: [1s]`,
			want: `story.yaml:1:8: until: expected a duration like 61s, found a list`,
		},
		{
			name: "several problems",
			text: `
until: soon
timeline: [{at: 1s, crash: ctrl}]
verdicts: {green: [wake], red: {non: [fine]}}`,
			want: `
story.yaml:1:8: until: expected a duration like 61s, 250ms or 1m30s, found the text "soon"
story.yaml:2:28: unknown process "ctrl" (did you mean "ctl"?)
story.yaml:3:11: the verdicts do not name variant "both": is it green or red?
story.yaml:3:11: the verdicts do not name variant "scheduling-retry": is it green or red?
story.yaml:3:11: the verdicts do not name variant "target-pod-retry": is it green or red?
story.yaml:3:33: unknown variant "non" (did you mean "none"?)`,
		},
		{
			name: "bad YAML",
			text: `until: [1s`,
			want: `story.yaml:1:1: bad YAML: did not find expected ',' or ']'`,
		},
	})
}
