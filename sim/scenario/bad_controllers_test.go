package scenario_test

import "testing"

func TestBadControllers(t *testing.T) {
	testBad(t, []bad{
		{
			name: "a name that is no label",
			text: `controllers: [{name: "a b", type: vmim}]`,
			want: `story.yaml:1:22: the name of a process is a DNS label such as kube-ovn-controller: ` + notALabel,
		},
		{
			name: "a name that is the scenario's own",
			text: `controllers: [{name: user, type: vmim}]`,
			want: `story.yaml:1:22: the process "user" is the scenario itself: choose another name`,
		},
		{
			name: "no controller",
			text: `controllers: []`,
			want: `story.yaml:1:14: a scenario has at least one controller, found none`,
		},
		{
			name: "unknown type of controller",
			text: `controllers: [{name: ctl, type: vmin}]`,
			want: `story.yaml:1:33: unknown type of controller "vmin" (did you mean "vmim"?)`,
		},
		{
			name: "controller without a type",
			text: `controllers: [{name: ctl}]`,
			want: `story.yaml:1:15: the controller needs the field "type"`,
		},
		{
			name: "two types of controllers",
			text: `
controllers:
- {name: ctl, type: vmim}
- {name: other, type: kvvm}`,
			want: `story.yaml:3:3: a scenario has one type of controller: other is of type kvvm, but ctl of type vmim`,
		},
		{
			name: "two controllers of one name",
			text: `
controllers:
- {name: ctl, type: vmim}
- {name: ctl, type: vmim}`,
			want: `story.yaml:3:10: the process "ctl" is here twice: first on line 2`,
		},
		{
			name: "controller with the name of a stand-in",
			text: `
controllers: [{name: kubelet, type: vmim}]
given: {standIns: [kubelet]}`,
			want: `story.yaml:1:22: the process "kubelet" is a stand-in already`,
		},
		{
			name: "too many replicas",
			text: `controllers: [{name: ctl, type: vmim, replicas: 11}]`,
			want: `story.yaml:1:49: replicas: expected at most 10, found 11`,
		},
		{
			name: "a replica with the name of another process",
			text: `
controllers:
- {name: ctl, type: vmim, replicas: 2}
- {name: ctl-2, type: vmim}`,
			want: `story.yaml:3:10: the process "ctl-2" is here twice: first on line 2`,
		},
		{
			name: "a lease without a namespace",
			text: `controllers: [{name: ctl, type: vmim, leaderElection: ctl}]`,
			want: `story.yaml:1:55: a Lease has a namespace: expected "namespace/name", found "ctl"`,
		},
		{
			name: "the only leader of an unknown lease",
			text: `
controllers: [{name: ctl, type: vmim, leaderElection: default/ctl}]
expect: [{name: fine, leaderOnly: default/clt}]`,
			want: `story.yaml:2:35: unknown lease of a leaderElection "default/clt" (did you mean "default/ctl"?)`,
		},
		{
			name: "one front-end that is behind",
			text: `schedule: [{point: "ctl: list Pod #1", stale: 5s}]`,
			want: `story.yaml:1:40: stale: one API front-end is never behind: expected kube-apiserver.replicas: 2 in given.settings`,
		},
		{
			name: "a lease that nobody leads by",
			text: `schedule: [{point: "ctl: list Pod #1", steal: true}]`,
			want: `story.yaml:1:40: steal: no controller leads by a lease: expected one with replicas and leaderElection`,
		},
		{
			name: "a clock that is right",
			text: `schedule: [{point: "ctl: start #1", clock: 0s}]`,
			want: `story.yaml:1:44: clock: expected an offset like 30s or -30s, found "0s"`,
		},
		{
			name: "a list that breaks off, and is stale",
			text: `
given: {settings: {kube-apiserver.replicas: 2}}
schedule: [{point: "ctl: list Pod #1", stale: 5s, reset: true}]`,
			want: `story.yaml:2:12: a perturbation does one thing: status, reset, lost, break, crash, repeat, stale, clock, pause or steal`,
		},
		{
			name: "clock of an unknown process",
			text: `informerClock: [{process: ctrl, kind: Pod, lag: 1s}]`,
			want: `story.yaml:1:27: unknown process "ctrl" (did you mean "ctl"?)`,
		},
		{
			name: "clock without anything",
			text: `informerClock: [{}]`,
			want: `
story.yaml:1:17: the informer's clock does not say what happens to the informer: expected lag or hold
story.yaml:1:17: the informer's clock needs the field "kind"
story.yaml:1:17: the informer's clock needs the field "process"`,
		},
		{
			name: "clock with lag and hold",
			text: `informerClock: [{process: ctl, kind: Pod, lag: 1s, hold: {from: 1s}}]`,
			want: `story.yaml:1:52: "hold" cannot stand beside "lag": only one of lag or hold says what happens to the informer`,
		},
		{
			name: "clock of a key without a namespace",
			text: `informerClock: [{process: ctl, kind: Pod, object: target, lag: 1s}]`,
			want: `story.yaml:1:51: a Pod has a namespace: expected "namespace/name", found "target"`,
		},
		{
			name: "two lags of one informer",
			text: `
informerClock:
- {process: ctl, kind: Pod, lag: 1s}
- {process: ctl, kind: Pod, lag: 2s}`,
			want: `story.yaml:3:3: this informer has a lag already, on line 2`,
		},
		{
			name: "hold that ends before it begins",
			text: `informerClock: [{process: ctl, kind: Pod, hold: {from: 5s, until: 2s}}]`,
			want: `story.yaml:1:67: a hold ends after it begins: until is 2s, from is 5s`,
		},
		{
			name: "hold from an unknown event until beyond the end",
			text: `informerClock: [{process: ctl, kind: Pod, hold: {from: drained, until: 2m}}]`,
			want: `
story.yaml:1:56: unknown event "drained": there is none here
story.yaml:1:72: until: 2m is beyond the end of the run: until is 1m`,
		},
		{
			name: "clock of a stand-in by another name than its process'",
			text: `
informerClock: [{process: scheduler, kind: Pod, lag: 1s}]
given: {standIns: [scheduler, kubelet]}`,
			want: `story.yaml:1:27: unknown process "scheduler": expected ctl, kube-scheduler or kubelet`,
		},
	})
}

const notALabel = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
