package fake_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/fake"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

const labelled = `
apiVersion: vmreplay/v1alpha1
kind: Scenario
metadata: {name: labelled, control: true}
given:
  objects:
    - &pod
      apiVersion: v1
      kind: Pod
      metadata: {name: a, namespace: default, uid: pod-a}
      spec: {containers: [{name: c, image: example.com/c}]}
controllers:
  - {name: kube-ovn-controller, type: vmim}
timeline:
  - name: created
    at: 1s
    apply: {<<: *pod, metadata: {name: b, namespace: default, uid: pod-b}}
until: 5s
expect:
  - name: labels
    eventually: pods().all(p, p.metadata.?labels.seen.orValue("") == "yes")
    within: 1s
    of: created
verdicts:
  green: [none, scheduling-retry, target-pod-retry, both, wake]
`

func labelledStory(t *testing.T) *sim.Story {
	t.Helper()
	files := fstest.MapFS{"labelled.yaml": {Data: []byte(labelled)}}
	loaded, err := scenario.Load(files, "labelled.yaml", fixtures.FS, sim.Catalog(), sim.Conditions())
	if err != nil {
		t.Fatal(err)
	}
	story, err := sim.Compile(loaded)
	if err != nil {
		t.Fatal(err)
	}
	return story
}

// behindRoute is the clientset of a unit test, behind the gate.
func behindRoute(env *lockstep.Env) (kubernetes.Interface, error) {
	c := kubefake.NewClientset()
	return c, fake.Route(&c.Fake, sim.RESTConfig(env), scheme.Scheme)
}

func onConfig(env *lockstep.Env) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(sim.RESTConfig(env))
}

// labeller is a controller that labels pods, and tries again when that fails.
func labeller(clientOf func(*lockstep.Env) (kubernetes.Interface, error)) sim.Subject {
	return sim.Subject{Type: "vmim", Variants: []string{"none"}, Run: func(ctx context.Context, env *lockstep.Env, _ string) error {
		client, err := clientOf(env)
		if err != nil {
			return err
		}
		queue := sim.Queue(env, "pods")
		factory := informers.NewSharedInformerFactory(client, 0)
		pods := factory.Core().V1().Pods()
		if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { queue.Add(o.(*corev1.Pod).Name) },
		}); err != nil {
			return err
		}
		factory.Start(ctx.Done())
		go func() {
			<-ctx.Done()
			queue.ShutDown()
		}()
		for {
			name, down := queue.Get()
			if down {
				factory.Shutdown()
				return nil
			}
			if label(ctx, client, name) != nil {
				queue.AddRateLimited(name)
			}
			queue.Done(name)
		}
	}}
}

func label(ctx context.Context, client kubernetes.Interface, name string) error {
	pod, err := client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod.Labels = map[string]string{"seen": "yes"}
	_, err = client.CoreV1().Pods("default").Update(ctx, pod, metav1.UpdateOptions{})
	return err
}

func play(t *testing.T, clientOf func(*lockstep.Env) (kubernetes.Interface, error), schedule ...engine.Perturbation) *sim.Result {
	t.Helper()
	return sim.Run(t, labelledStory(t), "none", sim.Options{Seed: 1, Schedule: schedule, Subjects: []sim.Subject{labeller(clientOf)}})
}

func pointsOf(r *sim.Result) []string {
	var all []string
	for _, s := range r.Trace.Steps {
		if p := s.Point.String(); !strings.Contains(p, "BOOKMARK") {
			all = append(all, s.At.String()+" "+p+": "+s.Outcome)
		}
	}
	return all
}

// TestReplayInABubble: a controller that was built on a fake clientset is gated
// and replayed like one that was built on a rest.Config.
func TestReplayInABubble(t *testing.T) {
	failure := engine.Perturbation{Point: "kube-ovn-controller: update Pod default/b #1", Status: 500}
	for _, c := range []struct {
		name     string
		schedule []engine.Perturbation
		updates  int // of the pod b
	}{
		{"undisturbed", nil, 1},
		{"an update fails", []engine.Perturbation{failure}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, two := play(t, behindRoute, c.schedule...), play(t, behindRoute, c.schedule...)
			if one.Red() || len(one.Unapplied) > 0 {
				t.Fatalf("want green and all of the schedule applied, found %v and %v", one.Checks, one.Unapplied)
			}
			if one.Trace.Hash != two.Trace.Hash {
				t.Error(sim.Difference(one.Trace, two.Trace))
			}
			n := 0
			for _, p := range pointsOf(one) {
				if strings.Contains(p, "update Pod default/b") {
					n++
				}
			}
			if n != c.updates {
				t.Errorf("want %d updates of b, found %d in %v", c.updates, n, pointsOf(one))
			}
			if diff := cmp.Diff(pointsOf(play(t, onConfig, c.schedule...)), pointsOf(one)); diff != "" {
				t.Errorf("decisions on a rest.Config (-) and behind a route (+):\n%s", diff)
			}
			if !slices.ContainsFunc(pointsOf(one), func(p string) bool { return strings.Contains(p, "deliver Pod default/b ADDED #1") }) {
				t.Error("the informer's events do not wait at the gate")
			}
		})
	}
}
