package expr

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// content shows decoded JSON to CEL, one level at a time and without copying.
// CEL's own adapter would iterate maps in Go's random order, and an expression
// such as port("x").options.map(k, k)[0] would differ from run to run.
type content struct{}

func (c content) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case map[string]any:
		return sortedMap{types.NewStringInterfaceMap(c, v), v}
	case []any:
		return types.NewDynamicList(c, v)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

// sortedMap is a map that iterates in the order of its keys.
type sortedMap struct {
	traits.Mapper
	native map[string]any
}

func (m sortedMap) Iterator() traits.Iterator {
	keys := slices.Sorted(maps.Keys(m.native))
	return types.NewStringList(content{}, keys).Iterator()
}
