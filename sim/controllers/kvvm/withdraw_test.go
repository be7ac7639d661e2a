package kvvm

import (
	"testing"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// TestWithdrawnStart: a VM is switched off while KubeVirt is asked for a start. The
// variant level takes the request back; the others leave it (kubevirt-behaviour B.5,
// row AlwaysOff).
func TestWithdrawnStart(t *testing.T) {
	const withdrawal = `[{"op":"test","path":"/status/stateChangeRequests","value":[{"action":"Start"}]},{"op":"remove","path":"/status/stateChangeRequests"}]`
	for _, c := range []struct {
		name    string
		variant Variant
		absent  bool
		action  []kubevirtv1.StateChangeRequestAction
		want    []string
		body    string
	}{
		{name: "instance there", variant: Level, action: []kubevirtv1.StateChangeRequestAction{kubevirtv1.StartRequest}, want: []string{startWrite, "DELETE kvvmi"}, body: withdrawal},
		{name: "instance gone", variant: Level, absent: true, action: []kubevirtv1.StateChangeRequestAction{kubevirtv1.StartRequest}, want: []string{startWrite}, body: withdrawal},
		{name: "only a stop asked for", variant: Level, action: []kubevirtv1.StateChangeRequestAction{kubevirtv1.StopRequest}, want: []string{"DELETE kvvmi"}},
		{name: "another variant", variant: Placement, action: []kubevirtv1.StateChangeRequestAction{kubevirtv1.StartRequest}, want: []string{"DELETE kvvmi"}},
		{name: "another variant, instance gone", variant: Placement, absent: true, action: []kubevirtv1.StateChangeRequestAction{kubevirtv1.StartRequest}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := runningParts(t, v1alpha2.AlwaysOffPolicy)
			if c.absent {
				instanceGone(x)
			}
			requestsThere(c.action...)(x)
			inWorld(t, c.variant, func(w *world) {
				if got := w.wire.body(startWrite); got != c.body {
					t.Errorf("the request for a change of state is\n%s\nwant\n%s", got, c.body)
				}
				w.wantActs(c.want...)
				kvvm, _ := get(w, x.kvvm)
				if left := len(kvvm.Status.StateChangeRequests) > 0; left != (c.body == "") {
					t.Errorf("requests left: %v, want %v", left, c.body == "")
				}
			}, x.objects()...)
		})
	}
}
