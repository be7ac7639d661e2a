package crd

import (
	"context"
	"fmt"
	"math"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/vmreplay/vmreplay/sim/apiserver"
)

// schema is the schema of one version of a custom resource. Several runs may
// share it: all of it is read-only once made.
type schema struct {
	structural *structuralschema.Structural
	whole      *validator
	status     *validator           // nil if the schema does not name a status
	rules      *schemacel.Validator // nil if there are no rules in CEL
	types      func() managedfields.TypeConverter
}

var _ apiserver.Schema = (*schema)(nil)

func newSchema(definition *apiextensionsv1.CustomResourceDefinition, version apiextensionsv1.CustomResourceDefinitionVersion) (*schema, error) {
	internal, err := internalSchema(version)
	if err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	s := &schema{}
	if s.structural, err = structuralschema.NewStructural(internal); err != nil {
		return nil, fmt.Errorf("the schema is not structural: %w", err)
	}
	if err := defaulting.PruneDefaults(s.structural); err != nil {
		return nil, fmt.Errorf("pruning the defaults: %w", err)
	}
	if s.whole, err = newValidator(internal); err != nil {
		return nil, fmt.Errorf("making the validator: %w", err)
	}
	if status, ok := internal.Properties["status"]; ok {
		if s.status, err = newValidator(&status); err != nil {
			return nil, fmt.Errorf("making the validator of the status: %w", err)
		}
	}
	s.rules = schemacel.NewValidator(s.structural, true, cel.PerCallLimit)
	s.types = sync.OnceValue(func() managedfields.TypeConverter { return typesOf(definition, version.Name) })
	return s, nil
}

// typesOf builds the types of server-side apply from the same document that the
// real server publishes. What cannot be built is applied without types, as there.
func typesOf(definition *apiextensionsv1.CustomResourceDefinition, version string) managedfields.TypeConverter {
	document, err := builder.BuildOpenAPIV3(definition, version, builder.Options{})
	if err != nil {
		return managedfields.NewDeducedTypeConverter()
	}
	types, err := managedfields.NewTypeConverter(document.Components.Schemas, definition.Spec.PreserveUnknownFields)
	if err != nil {
		return managedfields.NewDeducedTypeConverter()
	}
	return types
}

// Complete implements apiserver.Schema.
func (s *schema) Complete(content map[string]any) map[string]any {
	complete := runtime.DeepCopyJSON(content)
	defaulting.PruneNonNullableNullsWithoutDefaults(complete, s.structural)
	defaulting.Default(complete, s.structural)
	pruning.Prune(complete, s.structural, true)
	return complete
}

// Validate implements apiserver.Schema.
func (s *schema) Validate(content, old map[string]any, subresource string) field.ErrorList {
	ctx := context.Background()
	if old == nil {
		errs := s.whole.create(nil, content)
		errs = append(errs, s.embedded(ctx, content)...)
		return append(errs, s.checkRules(ctx, errs, content, nil)...)
	}
	same := common.NewCorrelatedObject(content, old, &model.Structural{Structural: s.structural})
	news := s.whole.news(content, old)
	var errs field.ErrorList
	if subresource == "" {
		errs = s.whole.update(nil, news, old)
	} else if status, ok := content["status"]; ok && s.status != nil {
		errs = s.status.update(field.NewPath("status"), status, old["status"])
	}
	// A list that was wrong before may stay so.
	if lists := listtype.ValidateListSetsAndMaps(nil, s.structural, news); len(lists) > 0 && len(listtype.ValidateListSetsAndMaps(nil, s.structural, old)) == 0 {
		errs = append(errs, lists...)
	}
	errs = append(errs, objectmeta.Validate(ctx, nil, content, s.structural, false)...)
	return append(errs, s.checkRules(ctx, errs, content, old, schemacel.WithRatcheting(same))...)
}

func (s *schema) embedded(ctx context.Context, content map[string]any) field.ErrorList {
	errs := objectmeta.Validate(ctx, nil, content, s.structural, false)
	return append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, content)...)
}

// checkRules checks the rules in CEL, unless the content does not even have the
// types that they speak of.
func (s *schema) checkRules(ctx context.Context, found field.ErrorList, content, old map[string]any, o ...schemacel.Option) field.ErrorList {
	if s.rules == nil {
		return nil
	}
	for _, e := range found {
		if blocking[e.Type] {
			return field.ErrorList{field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
		}
	}
	var before any
	if old != nil {
		before = old
	}
	errs, _ := s.rules.Validate(ctx, nil, s.structural, content, before, math.MaxInt64, o...)
	return errs
}

// blocking are the errors after which rules make no sense.
var blocking = map[field.ErrorType]bool{
	field.ErrorTypeNotSupported: true,
	field.ErrorTypeRequired:     true,
	field.ErrorTypeTooLong:      true,
	field.ErrorTypeTooMany:      true,
	field.ErrorTypeTypeInvalid:  true,
}

// Types implements apiserver.Schema.
func (s *schema) Types() managedfields.TypeConverter { return s.types() }
