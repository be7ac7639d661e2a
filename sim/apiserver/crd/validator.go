package crd

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// A validator checks values of one schema.
type validator struct {
	schema *spec.Schema
	checks validation.SchemaValidator
	right  memo
}

func newValidator(schema *apiextensions.JSONSchemaProps) (*validator, error) {
	checks, converted, err := validation.NewSchemaValidator(schema)
	return &validator{schema: converted, checks: checks}, err
}

func (v *validator) create(at *field.Path, value any) field.ErrorList {
	if v.right.has(value) {
		return nil
	}
	errs := validation.ValidateCustomResource(at, value, v.checks)
	if len(errs) == 0 {
		v.right.add(value)
	}
	return errs
}

// update forgives what was wrong before and did not change. So it need not look at
// properties that are as they were: most updates change few of them, and checking
// is among the dearest parts of a write. Where nothing is wrong, there is nothing
// to forgive.
func (v *validator) update(at *field.Path, value, old any) field.ErrorList {
	now, isObject := value.(map[string]any)
	before, wasObject := old.(map[string]any)
	if isObject && wasObject {
		value = v.news(now, before)
	}
	if len(v.create(at, value)) == 0 {
		return nil
	}
	correlated := common.NewCorrelatedObject(value, old, &openapi.Schema{Schema: v.schema})
	return validation.ValidateCustomResourceUpdate(at, value, old, v.checks, validation.WithRatcheting(correlated))
}

// news are the properties whose values changed, and those that must be there. It is
// all of them if the schema counts or judges them together.
func (v *validator) news(now, before map[string]any) map[string]any {
	if !v.separable() {
		return now
	}
	return maps.Collect(func(yield func(string, any) bool) {
		for name, value := range now {
			old, there := before[name]
			if there && !slices.Contains(v.schema.Required, name) && reflect.DeepEqual(value, old) {
				continue
			}
			if !yield(name, value) {
				return
			}
		}
	})
}

// separable says that each property is checked on its own.
func (v *validator) separable() bool {
	s := v.schema
	return s.MinProperties == nil && s.MaxProperties == nil && len(s.Enum) == 0 &&
		len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 && s.Not == nil && len(s.Dependencies) == 0
}
