package sim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// tryObjects loads all objects of a scenario into a server of their own: what it
// refuses is a mistake of the file, and known before anything runs.
func tryObjects(s *scenario.Scenario) error {
	api := apiserver.New(apiserver.Options{Resources: resources()})
	var problems scenario.Errors
	for i := range s.Given.Objects {
		problems = append(problems, tryObject(api, &s.Given.Objects[i])...)
	}
	for i := range s.Timeline {
		if o := s.Timeline[i].Apply; o != nil {
			problems = append(problems, tryObject(api, o)...)
		}
	}
	return problems.OrNil()
}

func tryObject(api *apiserver.Server, o *scenario.Object) scenario.Errors {
	stored, err := api.Load(o.Content)
	if err != nil {
		return refused(o, err)
	}
	return pruned(o, "", o.Content, stored.Content())
}

// refused says what the server has against an object, each where its field stands.
func refused(o *scenario.Object, err error) scenario.Errors {
	const refuses = "the API server refuses this object: "
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return scenario.Errors{{Pos: o.Pos, Message: refuses + err.Error()}}
	}
	var all scenario.Errors
	for _, c := range status.ErrStatus.Details.Causes {
		text := fmt.Sprintf("%s%d %s: %s: %s", refuses, status.ErrStatus.Code, status.ErrStatus.Reason, cmp.Or(c.Field, "the object"), c.Message)
		all = append(all, &scenario.Error{Pos: o.At(c.Field), Message: text})
	}
	return all
}

// pruned are the fields that the schema of the kind does not know: the server
// drops them, and kubectl refuses them.
func pruned(o *scenario.Object, path string, given, stored map[string]any) scenario.Errors {
	var all scenario.Errors
	for _, name := range slices.Sorted(maps.Keys(given)) {
		field := name
		if path != "" {
			field = path + "." + name
		}
		left, kept := stored[name]
		if !kept && given[name] != nil {
			all = append(all, &scenario.Error{
				Pos:     o.At(field),
				Message: fmt.Sprintf("the API server refuses this object: 400 BadRequest: unknown field %q", field),
			})
		}
		all = append(all, prunedBelow(o, field, given[name], left)...)
	}
	return all
}

func prunedBelow(o *scenario.Object, path string, given, stored any) scenario.Errors {
	switch given := given.(type) {
	case map[string]any:
		if stored, ok := stored.(map[string]any); ok {
			return pruned(o, path, given, stored)
		}
	case []any:
		stored, _ := stored.([]any)
		var all scenario.Errors
		for i := range min(len(given), len(stored)) {
			all = append(all, prunedBelow(o, fmt.Sprintf("%s[%d]", path, i), given[i], stored[i])...)
		}
		return all
	}
	return nil
}
