package scenario_test

import "testing"

func TestBadTimeline(t *testing.T) {
	testBad(t, []bad{
		{
			name: "event without anything",
			text: `timeline: [{}]`,
			want: `
story.yaml:1:12: the event does not say what happens: expected apply, patch, delete, bind, cordon, uncordon, evict, crash, restart or mark
story.yaml:1:12: the event does not say when it happens: expected at, when or once`,
		},
		{
			name: "event with two times and two actions",
			text: `
timeline:
- at: 1s
  when: "true"
  crash: ctl
  restart: ctl`,
			want: `
story.yaml:3:3: "when" cannot stand beside "at": only one of at, when or once says when it happens
story.yaml:5:3: "restart" cannot stand beside "crash": only one of apply, patch, delete, bind, cordon, uncordon, evict, crash, restart or mark says what happens`,
		},
		{
			name: "event beyond the end",
			text: `timeline: [{at: 61s, restart: ctl}]`,
			want: `story.yaml:1:17: at: 61s is beyond the end of the run: until is 1m`,
		},
		{
			name: "after without once",
			text: `timeline: [{at: 1s, after: 1s, restart: ctl}]`,
			want: `story.yaml:1:21: "after" goes with when or once only`,
		},
		{
			name: "after beyond the end",
			text: `timeline: [{when: 'true', after: 2m, restart: ctl}]`,
			want: `story.yaml:1:34: after: 2m is beyond the end of the run: until is 1m`,
		},
		{
			name: "unknown event",
			text: `
timeline:
- {name: drained, at: 1s, restart: ctl}
- {once: draned, restart: ctl}`,
			want: `story.yaml:3:10: unknown event "draned" (did you mean "drained"?)`,
		},
		{
			name: "two events of one name",
			text: `
timeline:
- {name: drained, at: 1s, restart: ctl}
- {name: drained, at: 2s, restart: ctl}`,
			want: `story.yaml:3:10: the event "drained" is here twice: first on line 2`,
		},
		{
			name: "events wait for each other",
			text: `
timeline:
- {name: a, once: c, restart: ctl}
- {name: b, once: a, restart: ctl}
- {name: c, once: b, restart: ctl}
- {name: d, once: a, restart: ctl}`,
			want: `story.yaml:2:3: the events wait for each other: a -> c -> b -> a`,
		},
		{
			name: "event waits for itself",
			text: `
timeline:
- {name: a, once: a, restart: ctl}`,
			want: `story.yaml:2:3: the events wait for each other: a -> a`,
		},
		{
			name: "event with the name of a duration",
			text: `timeline: [{name: 5s, at: 1s, restart: ctl}]`,
			want: `story.yaml:1:19: the name of an event starts with a letter, or it would be read as a duration: found "5s"`,
		},
		{
			name: "mark without a name",
			text: `timeline: [{at: 1s, mark: true}]`,
			want: `story.yaml:1:21: a mark needs a name: it is there to be referred to`,
		},
		{
			name: "mark is false",
			text: `timeline: [{name: a, at: 1s, mark: false}]`,
			want: `story.yaml:1:36: mark: expected true, found false`,
		},
		{
			name: "crash of what runs on the nodes",
			text: `
timeline: [{at: 1s, crash: kubelet}]
given: {standIns: [kubelet, virt-controller]}`,
			want: `story.yaml:1:28: crash: kubelet holds what runs on the nodes, and does not crash: in this scenario ctl, virt-controller can`,
		},
		{
			name: "crash of a stand-in by the name of its part",
			text: `
timeline: [{at: 1s, restart: scheduler}]
given: {standIns: [scheduler]}`,
			want: `story.yaml:1:30: restart: expected the process "kube-scheduler" of the stand-in scheduler`,
		},
		{
			name: "crash of a stand-in that does not play along",
			text: `timeline: [{at: 1s, crash: virt-controler}]
given: {standIns: [virt-controller, virt-handler]}`,
			want: `story.yaml:1:28: unknown process "virt-controler" (did you mean "virt-controller"?)`,
		},
		{
			name: "cordon of an unknown node",
			text: `
timeline: [{at: 1s, cordon: node-d}]
given: {fixtures: [vmim/two-nodes]}`,
			want: `story.yaml:1:29: unknown node "node-d" (did you mean "node-a"?)`,
		},
		{
			name: "eviction without a namespace",
			text: `timeline: [{at: 1s, evict: target}]`,
			want: `story.yaml:1:28: a Pod has a namespace: expected "namespace/name", found "target"`,
		},
		{
			name: "deletion of nothing, and of one by two means",
			text: `timeline: [{at: 1s, delete: {kind: Pod}}, {at: 1s, delete: {kind: Pod, name: a/b, selector: x=y}}]`,
			want: `
story.yaml:1:29: the deletion does not say which objects go: expected name or selector
story.yaml:1:83: "selector" cannot stand beside "name": only one of name or selector says which objects go`,
		},
		{
			name: "eviction by a wrong selector",
			text: `timeline: [{at: 1s, evict: {selector: "a in"}}]`,
			want: `story.yaml:1:39: selector: expected a label selector such as app=web, found "a in": unable to parse requirement: found '' expected: '('`,
		},
		{
			name: "binding to a key with a namespace",
			text: `timeline: [{at: 1s, bind: {pod: a/b/c, node: default/node-a}}]`,
			want: `
story.yaml:1:33: a Pod has a namespace: expected "namespace/name", found "a/b/c"
story.yaml:1:46: a Node has no namespace: expected its name alone, found "default/node-a"`,
		},
		{
			name: "patch without anything",
			text: `timeline: [{at: 1s, patch: {}}]`,
			want: `
story.yaml:1:28: the patch needs the field "kind"
story.yaml:1:28: the patch needs the field "merge"
story.yaml:1:28: the patch needs the field "name"`,
		},
		{
			name: "patch of a wrong subresource and kind",
			text: `timeline: [{at: 1s, patch: {kind: pod, name: a/b, subresource: scale, merge: 5}}]`,
			want: `
story.yaml:1:35: unknown kind "pod" (did you mean "Pod"?)
story.yaml:1:64: unknown subresource "scale": expected status
story.yaml:1:78: merge: expected a mapping, found the number 5`,
		},
		{
			name: "deletion with an unknown propagation",
			text: `timeline: [{at: 1s, delete: {kind: Pod, name: a/b, propagation: Forground}}]`,
			want: `story.yaml:1:65: unknown propagation "Forground" (did you mean "Foreground"?)`,
		},
		{
			name: "deletion with half a second of grace",
			text: `timeline: [{at: 1s, delete: {kind: Pod, name: a/b, gracePeriod: 1500ms}}]`,
			want: `story.yaml:1:65: gracePeriod: Kubernetes counts whole seconds, found 1500ms`,
		},
		{
			name: "beyond the end of whole hours",
			text: `
until: 2h
timeline: [{at: 3h, restart: ctl}]`,
			want: `story.yaml:2:17: at: 3h is beyond the end of the run: until is 2h`,
		},
		{
			name: "misspelt time and action",
			text: `timeline: [{att: 1s, restrt: ctl}]`,
			want: `
story.yaml:1:13: unknown field of the event "att" (did you mean "at"?)
story.yaml:1:22: unknown field of the event "restrt" (did you mean "restart"?)`,
		},
	})
}
