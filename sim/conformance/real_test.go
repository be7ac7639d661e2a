//go:build conformance

package conformance

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// start runs a real kube-apiserver and its etcd until the test ends. change, if not
// nil, has the last word on how.
func start(tb testing.TB, change func(*envtest.Environment)) (*envtest.Environment, *rest.Config) {
	tb.Helper()
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	for _, program := range []string{"kube-apiserver", "etcd"} {
		if _, err := os.Stat(filepath.Join(assets, program)); assets == "" || err != nil {
			tb.Fatalf("%s is not in KUBEBUILDER_ASSETS=%q: run `make conformance`, which builds it", program, assets)
		}
	}
	env := &envtest.Environment{
		ControlPlane:             envtest.ControlPlane{APIServer: &envtest.APIServer{}},
		CRDDirectoryPaths:        []string{crdFolder},
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: 2 * time.Minute,
		ControlPlaneStopTimeout:  time.Minute,
	}
	// Admission plug-ins that leave the second half of their work to a controller
	// which neither side runs: finalizers of claims in use, taints of new nodes.
	env.ControlPlane.APIServer.Configure().
		Append("disable-admission-plugins", "StorageObjectInUseProtection", "TaintNodesByCondition", "ServiceAccount")
	if change != nil {
		change(env)
	}
	config, err := env.Start()
	if err != nil {
		tb.Fatalf("starting kube-apiserver: %v", err)
	}
	tb.Cleanup(func() {
		if err := env.Stop(); err != nil {
			tb.Errorf("stopping kube-apiserver: %v", err)
		}
	})
	return env, config
}

// realServer is the real server.
func realServer(tb testing.TB) *server {
	tb.Helper()
	env, config := start(tb, func(env *envtest.Environment) {
		// Its snapshots would answer continued lists for minutes after etcd has
		// forgotten the state that they continue.
		env.ControlPlane.APIServer.Configure().Append("feature-gates", "ListFromCacheSnapshot=false")
	})
	return &server{name: "real", config: config, compact: func(string) { compactEtcd(tb, env.ControlPlane.Etcd.URL.String()) }}
}

// compactEtcd makes etcd forget its history, as kube-apiserver has it do every
// five minutes.
func compactEtcd(tb testing.TB, url string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, Context: ctx})
	if err != nil {
		tb.Fatal(err)
	}
	defer client.Close()
	got, err := client.Get(ctx, "none")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := client.Compact(ctx, got.Header.Revision); err != nil {
		tb.Fatal(err)
	}
}
