package scenario_test

import "testing"

func TestBadVerdicts(t *testing.T) {
	testBad(t, []bad{
		{
			name: "red because nothing happened",
			text: `verdicts: {green: [none, scheduling-retry, target-pod-retry, both], red: {wake: [timeline]}}`,
			want: `story.yaml:1:82: unknown check "timeline": expected fine, hot-loop, no-exit, no-leak or no-panic`,
		},
		{
			name: "control with a red variant",
			text: `metadata: {name: story, control: true}`,
			want: `story.yaml:1:34: a control is red for no variant, but the verdicts expect none red`,
		},
		{
			name: "no control and no red variant",
			text: `verdicts: {green: [none, scheduling-retry, target-pod-retry, both, wake]}`,
			want: `story.yaml:4:11: no variant is expected red: say which one is, or declare the scenario a control (control: true)`,
		},
		{
			name: "unknown variant in the verdicts",
			text: `verdicts: {green: [scheduling-retry, target-pod-retry, both, waka], red: {none: [fine]}}`,
			want: `story.yaml:1:62: unknown variant "waka" (did you mean "wake"?)`,
		},
		{
			name: "variant without a verdict",
			text: `verdicts: {green: [scheduling-retry, both, wake], red: {none: [fine]}}`,
			want: `story.yaml:1:11: the verdicts do not name variant "target-pod-retry": is it green or red?`,
		},
		{
			name: "variant with two verdicts",
			text: `verdicts: {green: [none, scheduling-retry, target-pod-retry, both, wake], red: {none: [fine]}}`,
			want: `story.yaml:1:81: variant "none" has a verdict already, on line 1`,
		},
		{
			name: "unknown check in the verdicts",
			text: `verdicts: {green: [scheduling-retry, target-pod-retry, both, wake], red: {none: [find, no-leek]}}`,
			want: `
story.yaml:1:82: unknown check "find" (did you mean "fine"?)
story.yaml:1:88: unknown check "no-leek" (did you mean "no-leak"?)`,
		},
		{
			name: "red by no check",
			text: `verdicts: {green: [scheduling-retry, target-pod-retry, both, wake], red: {none: []}}`,
			want: `story.yaml:1:75: variant "none" is red by no check: name at least one`,
		},
		{
			name: "red is a list",
			text: `verdicts: {green: [scheduling-retry, target-pod-retry, both, wake], red: [none]}`,
			want: `story.yaml:1:74: red: expected a mapping of variants to lists of checks, found a list`,
		},
	})
}
