package apiserver

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// An Object is one immutable state of one object. Its views are made on first
// use, so it is as little safe for concurrent use as the server.
type Object struct {
	res     *resource
	ref     engine.Ref
	key     string
	version uint64
	content map[string]any

	wire      []byte
	typed     runtime.Object
	frameType string
	frame     []byte
}

var _ engine.Revision = (*Object)(nil)

// newObject takes content whose metadata names the object and may still be
// changed: it gets the resourceVersion.
func newObject(res *resource, content map[string]any, version uint64) *Object {
	meta := child(content, "metadata")
	meta["resourceVersion"] = strconv.FormatUint(version, 10)
	ref := engine.Ref{Kind: res.Kind, Namespace: text(meta, "namespace"), Name: text(meta, "name")}
	return &Object{res: res, ref: ref, key: ref.Key(), version: version, content: content}
}

// Ref names the object.
func (o *Object) Ref() engine.Ref { return o.ref }

// Version is the resourceVersion.
func (o *Object) Version() uint64 { return o.version }

// Content is the object as decoded JSON. It is shared: never modify it.
func (o *Object) Content() map[string]any { return o.content }

// JSON is the object as it goes over the wire, with sorted keys. It is shared:
// never modify it.
func (o *Object) JSON() []byte {
	if o.wire == nil {
		o.wire = appendJSON(make([]byte, 0, 1024), o.content)
	}
	return o.wire
}

// UID is metadata.uid.
func (o *Object) UID() string { return text(o.meta(), "uid") }

func (o *Object) meta() map[string]any { return child(o.content, "metadata") }

// at gives the same state with another resourceVersion: the last state of an
// object carries the version of the write that removed it.
func (o *Object) at(version uint64) *Object {
	meta := with(o.meta(), "resourceVersion", strconv.FormatUint(version, 10))
	return &Object{res: o.res, ref: o.ref, key: o.key, version: version,
		content: with(o.content, "metadata", meta)}
}

// watchFrame is the object as a line of a watch.
func (o *Object) watchFrame(eventType string) []byte {
	if o.frameType == eventType {
		return o.frame
	}
	wire := o.JSON()
	frame := make([]byte, 0, len(wire)+len(eventType)+len(`{"type":"","object":}`+"\n"))
	frame = append(append(frame, `{"type":"`...), eventType...)
	frame = append(append(frame, `","object":`...), wire...)
	o.frameType, o.frame = eventType, append(frame, "}\n"...)
	return o.frame
}

// decode gives the typed view. The error names the field that does not fit.
func (o *Object) decode() (runtime.Object, error) {
	if o.typed != nil {
		return o.typed, nil
	}
	if o.res.New == nil {
		return nil, fmt.Errorf("kind %s has no typed form", o.res.Kind)
	}
	typed := o.res.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.content, typed); err != nil {
		return nil, err
	}
	o.typed = typed
	return typed, nil
}

// fits checks that content decodes into the kind's Go type, as the real server
// checks the schema, so that typed views cannot fail later.
func (o *Object) fits() error {
	if o.res.New == nil {
		return nil
	}
	if _, err := o.decode(); err != nil {
		return badRequest("%s %q in version %q cannot be handled as a %s: %v", o.res.Kind, o.ref.Key(), o.res.Version, o.res.Kind, err)
	}
	return nil
}

// adopt takes over the typed view of the same content before it was written,
// which only the write's own fields tell apart.
func (o *Object) adopt(unsaved *Object) {
	view, ok := unsaved.typed.(metav1.Object)
	if !ok || o.typed != nil {
		return
	}
	generation, _ := integer(o.meta(), "generation")
	view.SetGeneration(generation)
	view.SetResourceVersion(text(o.meta(), "resourceVersion"))
	o.typed = unsaved.typed
}

// As gives the typed view of a revision: As[corev1.Pod](r). It is decoded once
// per revision and shared: never modify it. It panics if the kind has another
// type, or if the object's content does not fit the type.
func As[T any](r engine.Revision) *T {
	o, ok := r.(*Object)
	if !ok {
		panic(fmt.Sprintf("apiserver.As: want a revision of this server (*apiserver.Object), found %T", r))
	}
	typed, err := o.decode()
	if err != nil {
		panic(fmt.Sprintf("apiserver.As: %s at resourceVersion %d: %v", o.ref, o.version, err))
	}
	view, ok := typed.(any).(*T)
	if !ok {
		panic(fmt.Sprintf("apiserver.As: %s is a %T, not a %s", o.ref, typed, reflect.TypeFor[*T]()))
	}
	return view
}

// kinds knows the Go types of all kinds that can be converted.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(kubevirtv1.AddToScheme(s))
	return s
})

// ToContent converts a typed object to content with apiVersion and kind set, for
// Create, Update and Load. It panics for a type that is neither a built-in nor a
// KubeVirt kind and does not say its apiVersion and kind itself.
func ToContent(obj runtime.Object) map[string]any {
	content, err := toContent(obj)
	if err != nil {
		panic("apiserver.ToContent: " + err.Error())
	}
	return content
}

func toContent(obj runtime.Object) (map[string]any, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if gvk.Empty() {
		known, _, err := kinds().ObjectKinds(obj)
		if err != nil {
			return nil, fmt.Errorf("apiVersion and kind of %T are unknown; set them in the object: %w", obj, err)
		}
		gvk = known[0]
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("converting a %T: %w", obj, err)
	}
	content["apiVersion"], content["kind"] = gvk.GroupVersion().String(), gvk.Kind
	return content, nil
}
