package scenario_test

import "testing"

func TestBadExpression(t *testing.T) {
	testBad(t, []bad{
		{
			name: "empty expression",
			text: `timeline: [{when: ' ', restart: ctl}]`,
			want: `story.yaml:1:19: when: expected an expression, found the text " "`,
		},
		{
			name: "misspelt function in an expression",
			text: `timeline: [{when: 'vmin("default/m").status.phase == "Running"', restart: ctl}]`,
			want: `story.yaml:1:24: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "misspelt function in a block",
			text: `
timeline:
- when: |

    pod("a/b") != null &&
      vmin("default/m").status.phase == "Running"
  restart: ctl`,
			want: `story.yaml:5:11: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "misspelt function in a folded text",
			text: `
timeline:
- when: >-
    pod("a/b") != null &&
    vmin("default/m").status.phase == "Running"
  restart: ctl`,
			want: `story.yaml:4:9: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "misspelt function in double quotes",
			text: `timeline: [{when: "pod(\"a/b\") != null && vmin(\"default/m\") != null", restart: ctl}]`,
			want: `story.yaml:1:48: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "misspelt function in single quotes",
			text: `timeline: [{when: 'pod(''a/b'') != null && vmin(''a/b'') != null', restart: ctl}]`,
			want: `story.yaml:1:48: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "misspelt function in two plain lines",
			text: `
timeline:
- when: pod("a/b") != null &&
    vmin("default/m") != null
  restart: ctl`,
			want: `story.yaml:3:9: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "expression without an end",
			text: `
timeline:
- when: pod("a/b") != null &&
  restart: ctl`,
			want: `story.yaml:2:30: when: syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
		},
		{
			name: "behind an anchor and a tag",
			text: `timeline: [{when: &x !!str 'true && vmin("b") == null', restart: ctl}]`,
			want: `story.yaml:1:41: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "through an alias",
			text: `
timeline:
- {when: &x 'vmin("b") == null', restart: ctl}
- {when: *x, restart: ctl}`,
			want: `story.yaml:2:18: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "behind escapes of white space and letters",
			text: `timeline: [{when: "\x74rue \u0026\u0026\n\t\
    vmin('b') == null", restart: ctl}]`,
			want: `story.yaml:2:9: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "lines that end as on Windows",
			text: "timeline:\r\n- when: |\r\n    true &&\r\n    vmin('b') == null\r\n  restart: ctl\r\n",
			want: `story.yaml:4:9: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "block with an indentation of its own",
			text: `
timeline:
- when: |2

      true &&
    vmin('b') == null
  restart: ctl`,
			want: `story.yaml:5:9: when: unknown name "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "not true or false",
			text: `expect: [{name: fine, never: 'pods().size()'}]`,
			want: `story.yaml:1:31: never: the expression must be true or false; found one of type int`,
		},
		{
			name: "no expression but a list",
			text: `expect: [{name: fine, never: [a]}]`,
			want: `story.yaml:1:30: never: expected an expression, found a list`,
		},
	})
}
