//go:build conformance

package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

const jsonType = "application/json"

// Get implements standin.API.
func (a *liveAPI) Get(ref engine.Ref) (*apiserver.Object, error) {
	if a.kinds.internal(ref.Kind) {
		return a.memory.Get(ref)
	}
	return a.request(http.MethodGet, a.kinds.path(ref, ""), "", nil)
}

// Create implements standin.API.
func (a *liveAPI) Create(content map[string]any) (*apiserver.Object, error) {
	ref := a.kinds.refOf(content)
	ref.Name = ""
	return a.send(http.MethodPost, a.kinds.path(ref, ""), content)
}

// Update implements standin.API.
func (a *liveAPI) Update(content map[string]any, subresource string) (*apiserver.Object, error) {
	ref := a.kinds.refOf(content)
	if a.kinds.internal(ref.Kind) {
		return a.memory.Update(content, subresource)
	}
	return a.send(http.MethodPut, a.kinds.path(ref, subresource), content)
}

// Patch implements standin.API.
func (a *liveAPI) Patch(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*apiserver.Object, error) {
	if a.kinds.internal(ref.Kind) {
		return a.memory.Patch(ref, pt, data, subresource)
	}
	return a.request(http.MethodPatch, a.kinds.path(ref, subresource), string(pt), data)
}

// PatchAsClient implements sim.API: everybody is a client.
func (a *liveAPI) PatchAsClient(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*apiserver.Object, error) {
	return a.Patch(ref, pt, data, subresource)
}

// Delete implements standin.API.
func (a *liveAPI) Delete(ref engine.Ref, opts metav1.DeleteOptions) error {
	if a.kinds.internal(ref.Kind) {
		return a.memory.Delete(ref, opts)
	}
	opts.APIVersion, opts.Kind = "v1", "DeleteOptions"
	body, err := json.Marshal(opts)
	if err != nil {
		return err
	}
	_, err = a.exchange(http.MethodDelete, a.kinds.path(ref, ""), jsonType, body)
	return err
}

// Bind implements standin.API.
func (a *liveAPI) Bind(pod engine.Ref, node string) error {
	return a.post(pod, "binding", map[string]any{
		"apiVersion": "v1", "kind": "Binding", "metadata": namesOf(pod),
		"target": map[string]any{"apiVersion": "v1", "kind": "Node", "name": node},
	})
}

// Evict implements sim.API.
func (a *liveAPI) Evict(pod engine.Ref, opts metav1.DeleteOptions) error {
	return a.post(pod, "eviction", map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": namesOf(pod), "deleteOptions": opts,
	})
}

func namesOf(ref engine.Ref) map[string]any {
	return map[string]any{"name": ref.Name, "namespace": ref.Namespace}
}

func (a *liveAPI) post(ref engine.Ref, subresource string, body map[string]any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = a.exchange(http.MethodPost, a.kinds.path(ref, subresource), jsonType, data)
	return err
}

func (a *liveAPI) send(method, path string, content map[string]any) (*apiserver.Object, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	return a.request(method, path, jsonType, data)
}

// request makes a request whose answer is an object.
func (a *liveAPI) request(method, path, contentType string, body []byte) (*apiserver.Object, error) {
	content, err := a.exchange(method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	return a.memory.Adopt(content)
}

// exchange makes a request and decodes the answer; a Status of failure is an error.
func (a *liveAPI) exchange(method, path, contentType string, body []byte) (map[string]any, error) {
	req, err := http.NewRequestWithContext(a.ctx, method, a.pair.config.Host+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("Accept", jsonType)
	resp, err := a.pair.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, failureOf(method, path, answer)
	}
	content := map[string]any{}
	return content, utiljson.Unmarshal(answer, &content)
}

func failureOf(method, path string, answer []byte) error {
	var status metav1.Status
	if err := json.Unmarshal(answer, &status); err != nil {
		return fmt.Errorf("%s %s: want a Status, found %q", method, path, answer)
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// kinds finds the endpoints of kinds by what references call them.
type kinds map[string]apiserver.Resource

// storyKinds are the kinds whose objects come and go with a story; of others, the
// API server has some of its own.
func storyKinds() kinds {
	k := kinds{}
	for _, r := range sim.Resources() {
		builtin := r.Kind == "Pod" || r.Kind == "Node" || r.Kind == "ControllerRevision" || r.Kind == "PodDisruptionBudget"
		if builtin || r.Internal || strings.Contains(r.Group, ".") && !strings.HasSuffix(r.Group, ".k8s.io") {
			k[cmp.Or(r.Key, r.Kind)] = r
		}
	}
	return k
}

// served are the kinds of the API server, sorted.
func (k kinds) served() []string {
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(k)) {
		if !k.internal(kind) {
			all = append(all, kind)
		}
	}
	return all
}

func (k kinds) internal(kind string) bool { return k[kind].Internal }

// path is the endpoint of a kind's collection, or of an object.
func (k kinds) path(ref engine.Ref, subresource string) string {
	r := k[ref.Kind]
	parts := []string{"/apis", r.Group, r.Version}
	if r.Group == "" {
		parts = []string{"/api", r.Version}
	}
	if ref.Namespace != "" {
		parts = append(parts, "namespaces", ref.Namespace)
	}
	parts = append(parts, r.Plural)
	for _, part := range []string{ref.Name, subresource} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// prefix is where etcd has a kind; nodes have kept their first name there.
func (k kinds) prefix(kind string) string {
	r := k[kind]
	switch {
	case kind == "Node":
		return "/registry/minions/"
	case r.Group == "" || r.Group == "apps" || r.Group == "policy":
		return "/registry/" + r.Plural + "/"
	}
	return "/registry/" + r.Group + "/" + r.Plural + "/"
}

// refOf names what content describes.
func (k kinds) refOf(content map[string]any) engine.Ref {
	meta, _ := content["metadata"].(map[string]any)
	ref := engine.Ref{Namespace: textOf(meta, "namespace"), Name: textOf(meta, "name")}
	for key, r := range k {
		version := r.Version
		if r.Group != "" {
			version = r.Group + "/" + r.Version
		}
		if r.Kind == content["kind"] && version == content["apiVersion"] {
			ref.Kind = key
		}
	}
	return ref
}
