package apiserver

import (
	"bytes"
	"encoding/json"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// decodeBody decodes the object in a request's body. Custom resources have no
// protobuf form.
func decodeBody(res *resource, contentType string, body []byte) (map[string]any, error) {
	switch mediaType(contentType) {
	case "", runtime.ContentTypeJSON:
		return decodeObject(body)
	case runtime.ContentTypeYAML:
		converted, err := yaml.YAMLToJSON(body)
		if err != nil {
			return nil, badRequest("error decoding the body as YAML: %v", err)
		}
		return decodeObject(converted)
	case runtime.ContentTypeProtobuf:
		if !res.custom {
			return decodeProtobuf(res, body)
		}
	}
	return nil, unsupportedMediaType(bodyTypes(res))
}

// JSON implements engine.Server.
func (s *Server) JSON(r *engine.Request) ([]byte, error) {
	to := s.route(r.Path)
	if to == nil || to.res == nil {
		return r.Body, nil
	}
	content, err := decodeBody(to.res, r.Header["Content-Type"], r.Body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(content)
}

func bodyTypes(res *resource) []string {
	if res.custom {
		return []string{runtime.ContentTypeJSON, runtime.ContentTypeYAML}
	}
	return []string{runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf}
}

// mediaType is a Content-Type without its parameters.
func mediaType(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	return strings.TrimSpace(name)
}

func decodeObject(body []byte) (map[string]any, error) {
	var object map[string]any
	if err := utiljson.Unmarshal(body, &object); err != nil {
		return nil, badRequest("error decoding the body as JSON: %v", err)
	}
	if object == nil { // "null" is an object without anything
		object = map[string]any{}
	}
	return object, nil
}

func decodeProtobuf(res *resource, body []byte) (map[string]any, error) {
	gvk := res.gk.WithVersion(res.Version)
	typed, err := decodeTyped(body, gvk, nil)
	if err != nil {
		return nil, err
	}
	typed.GetObjectKind().SetGroupVersionKind(gvk)
	content, err := toContent(typed)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return content, nil
}

func decodeTyped(body []byte, gvk schema.GroupVersionKind, into runtime.Object) (runtime.Object, error) {
	typed, got, err := scheme.Codecs.UniversalDeserializer().Decode(body, &gvk, into)
	if err != nil {
		return nil, badRequest("error decoding the body: %v", err)
	}
	if got.Kind != gvk.Kind {
		return nil, badRequest("%s in version %q cannot be handled as a %s", got.Kind, gvk.Version, gvk.Kind)
	}
	return typed, nil
}

// decodeDeleteOptions reads the options of a deletion from the body, or, if that
// is empty, from the query.
func decodeDeleteOptions(res *resource, body []byte, q *query) (metav1.DeleteOptions, error) {
	var opts metav1.DeleteOptions
	switch {
	case len(body) == 0:
		opts.GracePeriodSeconds = q.grace
		if q.propagation != "" {
			opts.PropagationPolicy = new(metav1.DeletionPropagation(q.propagation))
		}
	case bytes.HasPrefix(body, protobufMagic):
		gvk := schema.GroupVersionKind{Group: res.Group, Version: res.Version, Kind: "DeleteOptions"}
		if _, err := decodeTyped(body, gvk, &opts); err != nil {
			return opts, err
		}
	default:
		if err := utiljson.Unmarshal(body, &opts); err != nil {
			return opts, badRequest("error decoding DeleteOptions: %v", err)
		}
		if opts.Kind != "" && opts.Kind != "DeleteOptions" {
			return opts, badRequest("%s cannot be handled as DeleteOptions", opts.Kind)
		}
	}
	if q.dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	return opts, nil
}
