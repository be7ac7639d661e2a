package garbage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/garbage"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/engine"
)

const owner = `
apiVersion: v1
kind: ConfigMap
metadata: {name: owner, namespace: default, uid: owner-1}
`

func dependent(name, of, meta string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata: {name: %[1]s, namespace: default, uid: %[1]s-1%[3]s, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: %[2]s, uid: %[2]s-1, blockOwnerDeletion: true}]}
`, name, of, meta)
}

// left are the names of the objects that are there, those in deletion with a "-".
func left(s *stage.Stage) []string {
	names := []string{}
	for _, o := range s.API.List("ConfigMap", "default") {
		name := o.Ref().Name
		if o.Content()["metadata"].(map[string]any)["deletionTimestamp"] != nil {
			name += "-"
		}
		names = append(names, name)
	}
	return names
}

func TestCollector(t *testing.T) {
	background, foreground, orphan := metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan
	for _, c := range []struct {
		name    string
		policy  *metav1.DeletionPropagation // of the deletion of the owner; nil for none
		others  []string
		want    []string
		crashed bool
	}{
		{name: "nothing is deleted", others: []string{owner, dependent("child", "owner", "")}, want: []string{"child", "owner"}},
		{name: "an owner that never was", others: []string{dependent("child", "owner", "")}, want: []string{}},
		{name: "background, two levels", policy: &background, others: []string{owner, dependent("child", "owner", ""), dependent("grandchild", "child", "")}, want: []string{}},
		{name: "foreground", policy: &foreground, others: []string{owner, dependent("child", "owner", ""), dependent("grandchild", "child", "")}, want: []string{}},
		{name: "foreground, a dependent is held", policy: &foreground, others: []string{owner, dependent("child", "owner", ", finalizers: [x/y]")}, want: []string{"child-", "owner-"}},
		{name: "orphan", policy: &orphan, others: []string{owner, dependent("child", "owner", "")}, want: []string{"child"}},
		{name: "the collector is down", policy: &foreground, others: []string{owner, dependent("child", "owner", "")}, want: []string{"child", "owner-"}, crashed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var traces [][]string
			for range 2 {
				s := stage.New(t)
				for _, o := range c.others {
					s.Load(o)
				}
				g, err := garbage.New(s.Host())
				if err != nil {
					t.Fatal(err)
				}
				s.Engine.Advance(time.Second)
				if c.crashed {
					g.Stop()
				}
				if c.policy != nil {
					if err := s.API.Delete(engine.ParseKey("ConfigMap", "default/owner"), metav1.DeleteOptions{PropagationPolicy: c.policy}); err != nil {
						t.Fatal(err)
					}
				}
				s.Engine.Advance(time.Minute)
				if diff := cmp.Diff(c.want, left(s)); diff != "" {
					t.Errorf("objects (-want +found):\n%s", diff)
				}
				quiet := len(s.Steps())
				s.Engine.Advance(24 * time.Hour)
				if steps := s.Steps(); len(steps) != quiet {
					t.Errorf("want no round without a write, found %q", steps[quiet:])
				}
				traces = append(traces, s.Steps())
			}
			if diff := cmp.Diff(traces[0], traces[1]); diff != "" {
				t.Errorf("two runs differ:\n%s", diff)
			}
		})
	}
}

// A launcher pod whose instance was deleted ends by itself.
func TestPodOfAnInstanceThatIsGone(t *testing.T) {
	s := stage.New(t)
	s.Load(`
apiVersion: v1
kind: Pod
metadata: {name: launcher, namespace: default, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: vm, uid: gone, controller: true}]}
spec: {containers: [{name: compute, image: i}]}
`)
	if _, err := garbage.New(s.Host()); err != nil {
		t.Fatal(err)
	}
	s.Engine.Advance(time.Second)
	if pod := s.Object(facts.KindPod, "default/launcher"); pod != nil {
		t.Errorf("want the pod gone, found %v", pod)
	}
	if diff := cmp.Diff([]string{"20ms garbage-collector: timer collect garbage #1 => 1 objects changed", "40ms garbage-collector: timer collect garbage #2 => 0 objects changed"}, s.Steps()); diff != "" {
		t.Errorf("steps (-want +found):\n%s", diff)
	}
}
