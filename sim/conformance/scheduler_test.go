//go:build conformance

package conformance

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	clusters    = flag.Int("clusters", 300, "how many random clusters the schedulers have to agree on")
	clusterSeed = flag.Int("cluster-seed", 1, "seed of the first random cluster")
)

// TestScheduler puts random clusters before the real kube-scheduler and before
// the stand-in. They must agree on whether the pod fits anywhere, on the node
// where only one fits, and on the reason where none does.
func TestScheduler(t *testing.T) {
	env, config := start(t, nil)
	startScheduler(t, env)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seeds %d to %d", *clusterSeed, *clusterSeed+*clusters-1)
	for seed := *clusterSeed; seed < *clusterSeed+*clusters; seed++ {
		namespace := fmt.Sprintf("cluster-%d", seed)
		c := rapid.Custom(func(r *rapid.T) smallCluster { return drawCluster(r, namespace) }).Example(seed)
		ok := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			ours := placedByStandIn(t, c, namespace)
			theirs := placedByScheduler(t, client, c, namespace, ours)
			if !agree(t, c, ours, theirs) {
				t.Errorf("pod %+v\n  real:     %+v\n  stand-in: %+v", c.pod.Spec, theirs, ours)
			}
		})
		closing.count("scheduler clusters", ok)
	}
}

// agree compares two placements. Where several nodes fit, the real scheduler
// chooses by scores and by chance; the stand-in takes the first by name.
func agree(tb testing.TB, c smallCluster, ours, theirs placement) bool {
	if ours.node == "" || theirs.node == "" {
		return ours == theirs
	}
	if ours.node == theirs.node {
		return true
	}
	// Another node is as good if the stand-in also takes it when it is the only one.
	alone := smallCluster{running: c.running, pod: *c.pod.DeepCopy(), nodes: c.nodes}
	alone.pod.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": theirs.node}
	for k, v := range c.pod.Spec.NodeSelector {
		alone.pod.Spec.NodeSelector[k] = v
	}
	return placedByStandIn(tb, alone, "default").node == theirs.node
}

// startScheduler runs the real kube-scheduler until the test ends.
func startScheduler(t *testing.T, env *envtest.Environment) {
	t.Helper()
	program := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kube-scheduler")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%s: run `make conformance`, which builds it: %v", program, err)
	}
	user, err := env.AddUser(envtest.User{Name: "scheduler", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	access, err := user.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, access, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "kube-scheduler.log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "--kubeconfig="+file, "--authentication-kubeconfig="+file,
		"--authorization-kubeconfig="+file, "--leader-elect=false", "--secure-port=0")
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended by itself
		_ = command.Wait()         // killed: the error says so
		if said, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the end of kube-scheduler's log: %s", said[max(0, len(said)-2000):])
		}
	})
}

// tries is how often the pod is made anew if the schedulers differ: the real one
// may not have seen all nodes yet when it took the first.
const tries = 4

// placedByScheduler makes the cluster, asks the real scheduler, and takes the
// cluster away.
func placedByScheduler(t *testing.T, client kubernetes.Interface, c smallCluster, namespace string, want placement) placement {
	t.Helper()
	ctx := t.Context()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	must(client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}))(t)
	for i := range c.nodes {
		must(client.CoreV1().Nodes().Create(ctx, &c.nodes[i], metav1.CreateOptions{}))(t)
	}
	t.Cleanup(func() { removeCluster(t, client, c, namespace) })
	for i := range c.running {
		p := must(client.CoreV1().Pods(namespace).Create(ctx, &c.running[i], metav1.CreateOptions{}))(t)
		p.Status.Phase = corev1.PodRunning
		must(client.CoreV1().Pods(namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{}))(t)
	}
	var got placement
	for n := range tries {
		p := c.pod.DeepCopy()
		p.Name = fmt.Sprintf("%s-%d", p.Name, n)
		must(client.CoreV1().Pods(namespace).Create(ctx, p, metav1.CreateOptions{}))(t)
		got = awaitPlacement(t, client, namespace, p.Name)
		if agree(t, c, want, got) {
			return got
		}
		must(0, client.CoreV1().Pods(namespace).Delete(ctx, p.Name, *metav1.NewDeleteOptions(0)))(t)
	}
	return got
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func awaitPlacement(t *testing.T, client kubernetes.Interface, namespace, name string) placement {
	t.Helper()
	var got placement
	err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		p, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		got = placementOf(p)
		return got != placement{}, nil
	})
	if err != nil {
		t.Fatalf("kube-scheduler said nothing of pod %s/%s within %s: %v", namespace, name, patience, err)
	}
	return got
}

func removeCluster(t *testing.T, client kubernetes.Interface, c smallCluster, namespace string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(0, client.CoreV1().Pods(namespace).DeleteCollection(ctx, *metav1.NewDeleteOptions(0), metav1.ListOptions{}))(t)
	for _, n := range c.nodes {
		must(0, client.CoreV1().Nodes().Delete(ctx, n.Name, metav1.DeleteOptions{}))(t)
	}
}
