package standin

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// An Op is one operation of a JSON patch.
type Op struct {
	Op    string `json:"op"` // test, add, replace, remove
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Replace are the operations that exchange a value which must still be was; nil
// means that there was none, and such an addition tests nothing.
func Replace(path string, was, is any) []Op {
	if was == nil {
		return []Op{{Op: "add", Path: path, Value: is}}
	}
	return []Op{{Op: "test", Path: path, Value: was}, {Op: "replace", Path: path, Value: is}}
}

func resourceOf(ref engine.Ref) schema.GroupResource {
	return schema.GroupResource{Resource: strings.ToLower(ref.Kind) + "s"}
}
