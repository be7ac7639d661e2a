package expr

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// worldName is the variable under which an evaluation finds its World. It is no
// CEL name, so no source can reach it.
const worldName = "@world"

// activation hands a World to the planned reads.
type activation struct{ world World }

func (a *activation) ResolveName(name string) (any, bool) {
	if name == worldName {
		return a.world, true
	}
	return nil, false
}

func (a *activation) Parent() interpreter.Activation { return nil }

// planReads puts reads of the World in the place of calls to kinds' functions.
func (e *Env) planReads(step interpreter.Interpretable) (interpreter.Interpretable, error) {
	call, ok := step.(interpreter.InterpretableCall)
	if !ok {
		return step, nil
	}
	r, ok := e.readers[call.Function()]
	switch {
	case !ok:
		return step, nil
	case r.list:
		return &listRead{id: call.ID(), kind: r.kind.Name}, nil
	}
	key := call.Args()[0]
	if constant, ok := key.(interpreter.InterpretableConst); ok {
		if text, ok := constant.Value().Value().(string); ok {
			return &objectRead{id: call.ID(), kind: r.kind.Name, key: text}, nil
		}
	}
	return &keyedRead{id: call.ID(), kind: r.kind.Name, key: key}, nil
}

func world(vars interpreter.Activation) World {
	w, _ := vars.ResolveName(worldName)
	return w.(World)
}

func object(w World, kind, key string) ref.Val {
	if o := w.Object(kind, key); o != nil {
		return content{}.NativeToValue(o)
	}
	return types.NullValue
}

// objectRead reads the object of a constant key.
type objectRead struct {
	id        int64
	kind, key string
}

func (r *objectRead) ID() int64 { return r.id }

func (r *objectRead) Eval(vars interpreter.Activation) ref.Val {
	return object(world(vars), r.kind, r.key)
}

// keyedRead reads the object of a key that is itself an expression.
type keyedRead struct {
	id   int64
	kind string
	key  interpreter.Interpretable
}

func (r *keyedRead) ID() int64 { return r.id }

func (r *keyedRead) Eval(vars interpreter.Activation) ref.Val {
	switch key := r.key.Eval(vars).(type) {
	case types.String:
		return object(world(vars), r.kind, string(key))
	case *types.Err:
		return key
	default:
		return types.NewErrWithNodeID(r.id, "the key is a %s, not a string", key.Type().TypeName())
	}
}

// listRead reads all objects of a kind.
type listRead struct {
	id   int64
	kind string
}

func (r *listRead) ID() int64 { return r.id }

func (r *listRead) Eval(vars interpreter.Activation) ref.Val {
	objects := world(vars).Objects(r.kind)
	return types.NewDynamicList(content{}, objects)
}
