package vmim

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Resource names in paths.
const (
	podResource       = "pods"
	instanceResource  = "virtualmachineinstances"
	migrationResource = "virtualmachineinstancemigrations"
)

// The codecs know only the two groups that are read. They are built once: a
// complete clientset for every controller would cost more than a whole run.
var (
	coreCodecs     = newCodecs(corev1.AddToScheme)
	kubevirtCodecs = newCodecs(kubevirtv1.AddToScheme)
)

func newCodecs(add func(*runtime.Scheme) error) runtime.NegotiatedSerializer {
	scheme := runtime.NewScheme()
	utilruntime.Must(add(scheme))
	return serializer.NewCodecFactory(scheme).WithoutConversion()
}

// clients are the REST clients of the two groups.
type clients struct {
	core, kubevirt *rest.RESTClient
}

func newClients(cfg *rest.Config) (clients, error) {
	transport, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return clients{}, fmt.Errorf("make the HTTP client: %w", err)
	}
	newClient := func(apiPath string, gv schema.GroupVersion, codecs runtime.NegotiatedSerializer) (*rest.RESTClient, error) {
		own := rest.CopyConfig(cfg)
		own.APIPath, own.GroupVersion, own.NegotiatedSerializer = apiPath, &gv, codecs
		if gv.Group != "" || own.ContentType == "" {
			// Custom resources are never served as protobuf.
			own.ContentType, own.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
		}
		client, err := rest.RESTClientForConfigAndClient(own, transport)
		if err != nil {
			return nil, fmt.Errorf("make the REST client of %s: %w", gv, err)
		}
		return client, nil
	}
	var c clients
	if c.core, err = newClient("/api", corev1.SchemeGroupVersion, coreCodecs); err != nil {
		return clients{}, err
	}
	c.kubevirt, err = newClient("/apis", kubevirtv1.GroupVersion, kubevirtCodecs)
	return c, err
}

// migration reads a migration from the API server.
func (c clients) migration(ctx context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstanceMigration, error) {
	m := &kubevirtv1.VirtualMachineInstanceMigration{}
	err := c.kubevirt.Get().Namespace(namespace).Resource(migrationResource).Name(name).Do(ctx).Into(m)
	if err != nil {
		return nil, fmt.Errorf("get migration %s/%s: %w", namespace, name, err)
	}
	return m, nil
}

// instance reads a VMI from the API server.
func (c clients) instance(ctx context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstance, error) {
	vmi := &kubevirtv1.VirtualMachineInstance{}
	err := c.kubevirt.Get().Namespace(namespace).Resource(instanceResource).Name(name).Do(ctx).Into(vmi)
	if err != nil {
		return nil, fmt.Errorf("get VMI %s/%s: %w", namespace, name, err)
	}
	return vmi, nil
}

// servesMigrations asks the API server's discovery whether it knows migrations.
func (c clients) servesMigrations(ctx context.Context) (bool, error) {
	body, err := c.kubevirt.Get().AbsPath("/apis/" + kubevirtv1.GroupVersion.String()).Do(ctx).Raw()
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("discover %s: %w", kubevirtv1.GroupVersion, err)
	}
	// An APIResourceList; nothing but the names is wanted of it.
	var list struct {
		Resources []struct{ Name string }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return false, fmt.Errorf("discover %s: decode the resource list: %w", kubevirtv1.GroupVersion, err)
	}
	for _, resource := range list.Resources {
		if resource.Name == migrationResource {
			return true, nil
		}
	}
	return false, nil
}
