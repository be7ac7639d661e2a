package conformance

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// A testCase is a story told by clients. It must not depend on the server in any
// way but by what the server answers.
type testCase struct {
	name string
	run  func(*trial)
	// managed keeps metadata.managedFields in the transcript.
	managed bool
}

// A trial is one run of a case against one server.
type trial struct {
	tb     testing.TB
	ctx    context.Context
	server *server
	// ns is the case's own namespace, and the prefix of the names of its
	// cluster-scoped objects.
	ns  string
	rec *recorder

	config *rest.Config
	kube   kubernetes.Interface
	dyn    dynamic.Interface
	ctl    client.WithWatch
}

// A server is one of the two: the real one or ours.
type server struct {
	name   string
	config *rest.Config
	// compact makes the server forget its history of a kind.
	compact func(kind string)
}

// patience is for answers of a real server on a busy machine; nothing waits for
// it unless something is missing, and then the case fails anyway.
const patience = 20 * time.Second

// transcriptOf runs a case against a server.
func transcriptOf(tb testing.TB, s *server, c testCase, ns string) []entry {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 3*patience)
	defer cancel()
	t := newTrial(ctx, tb, s, ns)
	t.create(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}`, ns)
	t.rec.reset()
	c.run(t)
	return masked(t.rec.entries(), c.managed)
}

func newTrial(ctx context.Context, tb testing.TB, s *server, ns string) *trial {
	tb.Helper()
	t := &trial{tb: tb, ctx: ctx, server: s, ns: ns, rec: &recorder{}}
	t.config = rest.CopyConfig(s.config)
	t.config.QPS = -1
	t.config.UserAgent = "tester"
	t.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return recording{next, t.rec} })
	t.kube = need(kubernetes.NewForConfig(t.config))(t)
	t.dyn = need(dynamic.NewForConfig(t.config))(t)
	return t
}

// controllerRuntime is the client of controller-runtime, made on first use: it
// asks for the discovery documents.
func (t *trial) controllerRuntime() client.WithWatch {
	if t.ctl == nil {
		t.ctl = need(client.NewWithWatch(t.config, client.Options{Scheme: typedScheme()}))(t)
	}
	return t.ctl
}

func typedScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kubevirtv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// need ends the case if a step that only prepares it fails.
func need[T any](v T, err error) func(*trial) T {
	return func(t *trial) T {
		t.tb.Helper()
		t.ok(err)
		return v
	}
}

func (t *trial) ok(err error) {
	t.tb.Helper()
	if err != nil {
		t.tb.Fatalf("%s: a step that prepares the case: %v", t.server.name, err)
	}
}

// note puts a finding into the transcript.
func (t *trial) note(what string, found any) { t.rec.add(entry{Call: what, Body: found}) }

// noteError puts what a client makes of an error into the transcript.
func (t *trial) noteError(what string, err error) {
	found := "none"
	if err != nil {
		found = err.Error()
	}
	t.note(what, found)
}

// named is the name of a cluster-scoped object of the case.
func (t *trial) named(name string) string { return t.ns + "-" + name }

// object reads an object from YAML; NS in it stands for the case's namespace.
func (t *trial) object(format string, args ...any) *unstructured.Unstructured {
	t.tb.Helper()
	o := &unstructured.Unstructured{}
	t.ok(yaml.Unmarshal([]byte(t.text(format, args...)), &o.Object))
	return o
}

// resource is the endpoint of a kind, in the case's namespace if it has
// namespaces.
func (t *trial) resource(apiVersion, kind string) dynamic.ResourceInterface {
	t.tb.Helper()
	r, ok := endpoints[apiVersion+" "+kind]
	if !ok {
		t.tb.Fatalf("no endpoint is known for %s %s: add it to endpoints", apiVersion, kind)
	}
	gv := need(schema.ParseGroupVersion(apiVersion))(t)
	all := t.dyn.Resource(gv.WithResource(r.plural))
	if !r.namespaced {
		return all
	}
	return all.Namespace(t.ns)
}

func (t *trial) resourceOf(o *unstructured.Unstructured) dynamic.ResourceInterface {
	t.tb.Helper()
	return t.resource(o.GetAPIVersion(), o.GetKind())
}

// create creates an object that the case needs.
func (t *trial) create(format string, args ...any) *unstructured.Unstructured {
	t.tb.Helper()
	o := t.object(format, args...)
	return need(t.resourceOf(o).Create(t.ctx, o, createOptions))(t)
}

type endpoint struct {
	plural     string
	namespaced bool
}

var endpoints = map[string]endpoint{
	"v1 Namespace":                          {"namespaces", false},
	"v1 Node":                               {"nodes", false},
	"v1 Pod":                                {"pods", true},
	"v1 ConfigMap":                          {"configmaps", true},
	"v1 Secret":                             {"secrets", true},
	"v1 Service":                            {"services", true},
	"v1 ServiceAccount":                     {"serviceaccounts", true},
	"v1 PersistentVolumeClaim":              {"persistentvolumeclaims", true},
	"v1 ResourceQuota":                      {"resourcequotas", true},
	"v1 Event":                              {"events", true},
	"apps/v1 ControllerRevision":            {"controllerrevisions", true},
	"coordination.k8s.io/v1 Lease":          {"leases", true},
	"policy/v1 PodDisruptionBudget":         {"poddisruptionbudgets", true},
	"kubevirt.io/v1 VirtualMachine":         {"virtualmachines", true},
	"kubevirt.io/v1 VirtualMachineInstance": {"virtualmachineinstances", true},
	"kubevirt.io/v1 VirtualMachineInstanceMigration": {"virtualmachineinstancemigrations", true},
}

func (t *trial) String() string { return fmt.Sprintf("%s on %s", t.ns, t.server.name) }
