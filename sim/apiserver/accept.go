package apiserver

import (
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A form is how a client wants its answer.
type form int

const (
	wholeJSON     form = iota
	metadataOnly       // PartialObjectMetadata, in JSON
	wholeProtobuf      // only built-in kinds have one
)

// formOf chooses the form of an answer by the request's Accept header. JSON is
// preferred to protobuf where both will do: clients cannot tell the difference
// but by its price.
func formOf(res *resource, accept string) (form, error) {
	if accept == "" || accept == "application/json, */*" || accept == runtime.ContentTypeJSON {
		return wholeJSON, nil
	}
	protobuf := false
	for clause := range strings.SplitSeq(accept, ",") {
		switch as := parameter(clause, "as"); {
		case !meansJSON[mediaType(clause)]:
			protobuf = protobuf || mediaType(clause) == runtime.ContentTypeProtobuf && as == ""
		case as == "":
			return wholeJSON, nil
		case as == "PartialObjectMetadata" || as == "PartialObjectMetadataList":
			return metadataOnly, nil
		}
	}
	if protobuf && !res.custom {
		return wholeProtobuf, nil
	}
	return 0, notAcceptable()
}

// meansJSON are the media types that an answer in JSON satisfies.
var meansJSON = map[string]bool{runtime.ContentTypeJSON: true, "application/*": true, "*/*": true}

func parameter(clause, name string) string {
	for p := range strings.SplitSeq(clause, ";") {
		if key, value, _ := strings.Cut(strings.TrimSpace(p), "="); key == name {
			return value
		}
	}
	return ""
}

func notAcceptable() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable,
		Message: "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
	}}
}

// answerIn answers with an object in the form that the client wants.
func answerIn(f form, status int, o *Object) (*engine.Response, error) {
	if f == wholeJSON {
		return answerObject(status, o), nil
	}
	if f == metadataOnly {
		return &engine.Response{Status: status, Header: jsonHeader, Body: o.metadataJSON(), Version: o.version}, nil
	}
	typed, err := o.decode()
	if err != nil {
		return nil, err
	}
	return protobufAnswer(status, o.version, o.res.gk.WithVersion(o.res.Version), typed)
}

var protobufHeader = map[string]string{"Content-Type": runtime.ContentTypeProtobuf}

func protobufAnswer(status int, version uint64, gvk schema.GroupVersionKind, typed runtime.Object) (*engine.Response, error) {
	typed = typed.DeepCopyObject()
	typed.GetObjectKind().SetGroupVersionKind(gvk)
	var body strings.Builder
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(typed, &body); err != nil {
		return nil, fmt.Errorf("encoding a %s as protobuf: %w", gvk.Kind, err)
	}
	return &engine.Response{Status: status, Header: protobufHeader, Body: []byte(body.String()), Version: version}, nil
}

// answerList answers with a list in the form that the client wants.
func answerList(f form, p page, res *resource) (*engine.Response, error) {
	if f == wholeProtobuf {
		return protobufList(p, res)
	}
	response := answer(http.StatusOK, p.encode(res, f))
	response.Version = p.version
	return response, nil
}

func protobufList(p page, res *resource) (*engine.Response, error) {
	gvk := schema.GroupVersionKind{Group: res.Group, Version: res.Version, Kind: res.Kind + "List"}
	list, err := scheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	var items []runtime.Object
	for _, o := range p.objects {
		typed, err := o.decode()
		if err != nil {
			return nil, err
		}
		items = append(items, typed)
	}
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	if err := meta.NewAccessor().SetResourceVersion(list, fmt.Sprint(p.version)); err != nil {
		return nil, err
	}
	if err := meta.NewAccessor().SetContinue(list, p.next); err != nil {
		return nil, err
	}
	return protobufAnswer(http.StatusOK, p.version, gvk, list)
}

const metadataPrefix = `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":`

// metadataJSON is an object with nothing but its metadata.
func (o *Object) metadataJSON() []byte {
	b := append(make([]byte, 0, 512), metadataPrefix...)
	return append(AppendJSON(b, o.meta()), '}')
}

// A metadataWatch is a watch whose events carry metadata only.
type metadataWatch struct{ *watch }

// Open implements engine.Watch.
func (w metadataWatch) Open(sink func(engine.Event)) {
	w.watch.Open(func(e engine.Event) {
		if o, ok := e.Revision.(*Object); ok {
			eventType := e.Type
			e.Frame = func() []byte {
				b := append([]byte(`{"type":"`+eventType+`","object":`), o.metadataJSON()...)
				return append(b, "}\n"...)
			}
		}
		sink(e)
	})
}
