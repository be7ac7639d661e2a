package scenario_test

import "testing"

func TestBadExpect(t *testing.T) {
	testBad(t, []bad{
		{
			name: "quiet from the end on",
			text: `
until: 1m
expect: [{name: fine, quiet: {from: 60s}}]`,
			want: `story.yaml:2:37: quiet: nothing can happen from 1m on: that is the end of the run`,
		},
		{
			name: "check without anything",
			text: `expect: [{}]`,
			want: `
story.yaml:1:10: the check does not say what it checks: expected eventually, always, never, stays, backoff, rate, quiet, leaderOnly or sometimes
story.yaml:1:10: the check needs the field "name"`,
		},
		{
			name: "check of two sorts",
			text: `expect: [{name: fine, always: 'true', never: 'true'}]`,
			want: `story.yaml:1:39: "never" cannot stand beside "always": only one of eventually, always, never, stays, backoff, rate, quiet, leaderOnly or sometimes says what it checks`,
		},
		{
			name: "eventually without within",
			text: `expect: [{name: fine, eventually: 'true'}]`,
			want: `story.yaml:1:10: the check needs the field "within"`,
		},
		{
			name: "within of a never",
			text: `expect: [{name: fine, never: 'true', within: 5s, of: 5s, ofWhen: 'true', for: 5s}]`,
			want: `
story.yaml:1:38: "within" goes with eventually only
story.yaml:1:50: "of" goes with eventually only
story.yaml:1:58: "ofWhen" cannot stand beside "of": only one of of or ofWhen says since when
story.yaml:1:58: "ofWhen" goes with eventually only
story.yaml:1:74: "for" goes with stays only`,
		},
		{
			name: "deadline beyond the end",
			text: `expect: [{name: fine, eventually: 'true', within: 20s, of: 50s}]`,
			want: `story.yaml:1:43: within 20s of 50s is beyond the end of the run: until is 1m`,
		},
		{
			name: "two checks of one name",
			text: `
expect:
- {name: fine, never: 'false'}
- {name: fine, never: 'false'}`,
			want: `story.yaml:3:10: the check "fine" is here twice: first on line 2`,
		},
		{
			name: "check with the name of a built-in one",
			text: `
expect:
- {name: fine, never: 'false'}
- {name: no-leak, never: 'false'}`,
			want: `story.yaml:3:10: every run makes the check "no-leak" by itself: choose another name`,
		},
		{
			name: "check of an unknown variant",
			text: `expect: [{name: fine, never: 'false', variants: [none, wak]}]`,
			want: `story.yaml:1:56: unknown variant "wak" (did you mean "wake"?)`,
		},
		{
			name: "check of no variant",
			text: `expect: [{name: fine, never: 'false', variants: []}]`,
			want: `story.yaml:1:49: variants: expected at least one; without the field the check is made for all`,
		},
		{
			name: "check that is not made for the variant it should turn red",
			text: `expect: [{name: fine, never: 'false', variants: [wake, both]}]`,
			want: `story.yaml:7:82: the check "fine" is not made for variant "none", so it cannot be red by it: its variants are wake or both`,
		},
		{
			name: "back-off without anything",
			text: `expect: [{name: fine, backoff: {}}]`,
			want: `
story.yaml:1:32: backoff needs the field "cap"
story.yaml:1:32: backoff needs the field "factor"
story.yaml:1:32: backoff needs the field "first"
story.yaml:1:32: backoff needs the field "key"
story.yaml:1:32: backoff needs the field "process"
story.yaml:1:32: backoff needs the field "queue"`,
		},
		{
			name: "back-off with bad numbers",
			text: `expect: [{name: fine, backoff: {process: ctl, queue: q, key: k, first: 5s, factor: 1.5, cap: 1s, attempts: -1}}]`,
			want: `
story.yaml:1:84: factor: expected a whole number of at least 1, found the number 1.5
story.yaml:1:89: cap: the longest delay (1s) is shorter than the first (5s)
story.yaml:1:108: attempts: expected a whole number of at least 0, found the number -1`,
		},
		{
			name: "rate with bad names",
			text: `expect: [{name: fine, rate: {process: ctrl, verb: patsch, kind: Pot, atMost: -1, per: 0s}}]`,
			want: `
story.yaml:1:39: unknown process "ctrl" (did you mean "ctl"?)
story.yaml:1:51: unknown verb "patsch" (did you mean "patch"?)
story.yaml:1:65: unknown kind "Pot" (did you mean "Pod"?)
story.yaml:1:78: atMost: expected a whole number of at least 0, found the number -1
story.yaml:1:87: per: 0s is too short: expected more than 0`,
		},
		{
			name: "quiet from an unknown event",
			text: `expect: [{name: fine, quiet: {from: draned}}]`,
			want: `story.yaml:1:37: unknown event "draned": there is none here`,
		},
	})
}
