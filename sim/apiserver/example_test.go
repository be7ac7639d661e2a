package apiserver_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// An ordinary client talks to a server through its transport; a stand-in uses
// the server directly.
func Example() {
	server := apiserver.New(apiserver.Options{Seed: 1})
	server.Observe(func(c engine.Change) { fmt.Println(c.Type, c.Ref) })

	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://simulated", Transport: server.Transport()})
	pod, err := client.CoreV1().Pods("default").Create(context.Background(),
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "virt-launcher-vm-"}}, metav1.CreateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}

	ref := engine.Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
	if err := server.Bind(ref, "node-a"); err != nil {
		fmt.Println(err)
		return
	}
	bound, err := server.Get(ref)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(apiserver.As[corev1.Pod](bound).Spec.NodeName)
	// Output:
	// ADDED Pod default/virt-launcher-vm-9xrkr
	// MODIFIED Pod default/virt-launcher-vm-9xrkr
	// node-a
}
