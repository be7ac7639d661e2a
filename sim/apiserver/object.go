package apiserver

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"time"

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
	item      []byte
	frameType string
	frame     []byte

	typed runtime.Object
	// base is an earlier state, whose typed view may have parts in common.
	base *Object

	// by made this state, and when; without a manager it was the server itself.
	by      author
	written time.Time
}

var _ engine.Revision = (*Object)(nil)

// newObject takes content whose metadata names the object and may still be
// changed: it gets the resourceVersion.
func newObject(res *resource, content map[string]any, version uint64) *Object {
	meta := child(content, "metadata")
	meta["resourceVersion"] = strconv.FormatUint(version, 10)
	ref := engine.Ref{Kind: res.key, Namespace: text(meta, "namespace"), Name: text(meta, "name")}
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
		o.wire = AppendJSON(make([]byte, 0, 1024), o.content)
	}
	return o.wire
}

// itemJSON is the object as a list holds it. Lists of built-in kinds leave the
// kind of their items out, and so do typed clients' caches that are filled by
// them.
func (o *Object) itemJSON() []byte {
	if o.res.custom {
		return o.JSON()
	}
	if o.item == nil {
		wire, prefix := o.JSON(), o.res.itemPrefix
		if bytes.HasPrefix(wire, prefix) {
			o.item = append(append(make([]byte, 0, len(wire)), '{'), wire[len(prefix):]...)
		} else {
			bare := with(o.content, "kind", nil)
			delete(bare, "apiVersion")
			o.item = AppendJSON(nil, bare)
		}
	}
	return o.item
}

// UID is metadata.uid.
func (o *Object) UID() string { return text(o.meta(), "uid") }

func (o *Object) meta() map[string]any { return child(o.content, "metadata") }

// at gives the same state with another resourceVersion: the last state of an
// object carries the version of the write that removed it.
func (o *Object) at(version uint64) *Object {
	meta := with(o.meta(), "resourceVersion", strconv.FormatUint(version, 10))
	return &Object{res: o.res, ref: o.ref, key: o.key, version: version,
		content: with(o.content, "metadata", meta), base: o}
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
	frame = append(frame, "}\n"...)
	o.frameType, o.frame = eventType, frame
	return o.frame
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
