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
	})
}
