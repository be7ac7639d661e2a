package fake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	clientgofake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/fake"
)

func routed(t *testing.T) *clientgofake.Clientset {
	t.Helper()
	server := apiserver.New(apiserver.Options{Seed: 1})
	clients := clientgofake.NewClientset()
	err := fake.Route(&clients.Fake, &rest.Config{Host: "http://simulated", Transport: server.Transport(), QPS: -1}, scheme.Scheme)
	if err != nil {
		t.Fatal(err)
	}
	return clients
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "example.com/c:1"}}}}
}

// TestSemantics is the table of the package's documentation: what a plain fake
// does, and what one does whose requests are routed.
func TestSemantics(t *testing.T) {
	for _, tc := range []struct {
		name          string
		find          func(t *testing.T, c *clientgofake.Clientset) string
		plain, routed string
	}{
		{"update on a stale resourceVersion", staleUpdate, "accepted", "Conflict"},
		{"resourceVersion", func(t *testing.T, c *clientgofake.Clientset) string {
			return present(create(t, c, pod("p")).ResourceVersion)
		}, "absent", "present"},
		{"uid", func(t *testing.T, c *clientgofake.Clientset) string {
			return present(string(create(t, c, pod("p")).UID))
		}, "absent", "present"},
		{"generateName", func(t *testing.T, c *clientgofake.Clientset) string {
			p := pod("")
			p.GenerateName = "p-"
			return present(create(t, c, p).Name)
		}, "absent", "present"},
		{"finalizers", finalizers, "gone", "stays"},
		{"status through the main endpoint", mainStatus, "changed", "left alone"},
		{"field selectors", fieldSelector, "2", "1"},
		{"names", func(_ *testing.T, c *clientgofake.Clientset) string {
			_, err := c.CoreV1().Pods("default").Create(t.Context(), pod("Not A Name"), metav1.CreateOptions{})
			return reason(err)
		}, "accepted", "Invalid"},
		{"budgets", budgets, "accepted", "TooManyRequests"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := []string{tc.find(t, clientgofake.NewClientset()), tc.find(t, routed(t))}
			if diff := cmp.Diff([]string{tc.plain, tc.routed}, got); diff != "" {
				t.Errorf("plain and routed (-want +got):\n%s", diff)
			}
		})
	}
}

func present(s string) string {
	if s == "" {
		return "absent"
	}
	return "present"
}

func reason(err error) string {
	if err == nil {
		return "accepted"
	}
	return string(apierrors.ReasonForError(err))
}

func create(t *testing.T, c *clientgofake.Clientset, p *corev1.Pod) *corev1.Pod {
	t.Helper()
	got, err := c.CoreV1().Pods("default").Create(t.Context(), p, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func staleUpdate(t *testing.T, c *clientgofake.Clientset) string {
	t.Helper()
	p := create(t, c, pod("p"))
	for _, label := range []string{"a", "b"} {
		stale := p.DeepCopy()
		stale.Labels = map[string]string{"x": label}
		if _, err := c.CoreV1().Pods("default").Update(t.Context(), stale, metav1.UpdateOptions{}); err != nil {
			return reason(err)
		}
	}
	return "accepted"
}

func finalizers(t *testing.T, c *clientgofake.Clientset) string {
	t.Helper()
	p := pod("p")
	p.Finalizers = []string{"example.com/hold"}
	create(t, c, p)
	if err := c.CoreV1().Pods("default").Delete(t.Context(), "p", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CoreV1().Pods("default").Get(t.Context(), "p", metav1.GetOptions{}); err != nil {
		return "gone"
	}
	return "stays"
}

func mainStatus(t *testing.T, c *clientgofake.Clientset) string {
	t.Helper()
	create(t, c, pod("p"))
	got, err := c.CoreV1().Pods("default").Patch(t.Context(), "p", types.MergePatchType, []byte(`{"status":{"podIP":"10.0.0.1"}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status.PodIP != "" {
		return "changed"
	}
	return "left alone"
}

func fieldSelector(t *testing.T, c *clientgofake.Clientset) string {
	t.Helper()
	create(t, c, pod("p"))
	create(t, c, pod("q"))
	list, err := c.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=p"})
	if err != nil {
		t.Fatal(err)
	}
	return string(rune('0' + len(list.Items)))
}

func budgets(t *testing.T, c *clientgofake.Clientset) string {
	t.Helper()
	p := pod("p")
	p.Labels = map[string]string{"app": "x"}
	create(t, c, p)
	if _, err := c.CoreV1().Pods("default").Patch(t.Context(), "p", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}
	budget, err := c.PolicyV1().PodDisruptionBudgets("default").Create(t.Context(), budget, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	budget.Status.ObservedGeneration = budget.Generation
	if _, err := c.PolicyV1().PodDisruptionBudgets("default").UpdateStatus(t.Context(), budget, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	return reason(c.PolicyV1().Evictions("default").Evict(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}}))
}

// TestInformer lets an informer of a fake clientset see what happens, by watch.
func TestInformer(t *testing.T) {
	c := routed(t)
	seen := make(chan string, 10)
	factory := informers.NewSharedInformerFactory(c, 0)
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { seen <- "add " + o.(*corev1.Pod).Name },
		UpdateFunc: func(_, o any) { seen <- "update " + o.(*corev1.Pod).Labels["x"] },
		DeleteFunc: func(o any) { seen <- "delete " + o.(*corev1.Pod).Name },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	p := create(t, c, pod("p"))
	p.Labels = map[string]string{"x": "1"}
	if _, err := c.CoreV1().Pods("default").Update(t.Context(), p, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.CoreV1().Pods("default").Delete(t.Context(), "p", *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	got := []string{<-seen, <-seen}
	want := []string{"add p", "update 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for last := ""; last != "delete p"; {
		last = <-seen // the deletion may be an update first
	}
}

// TestWatch looks at what a watch of the fake delivers: typed objects.
func TestWatch(t *testing.T) {
	c := routed(t)
	create(t, c, pod("p"))
	w, err := c.CoreV1().Pods("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	e := <-w.ResultChan()
	if p, ok := e.Object.(*corev1.Pod); !ok || e.Type != watch.Added || p.Name != "p" {
		t.Errorf("want ADDED of a *Pod p, got %s of a %T", e.Type, e.Object)
	}
}
