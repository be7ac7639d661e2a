// Package crd reads CustomResourceDefinitions for the simulated API server: what
// their kinds are called, and their schemas with pruning, defaulting and
// validation, all by the real server's own libraries. It knows apiserver's
// Resource and Schema and nothing else of the simulator.
package crd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/vmreplay/vmreplay/sim/apiserver"
)

// ReadFolder reads all CRDs in the .yaml files of a folder, in the order of the
// names of the files.
func ReadFolder(folder string) ([]apiserver.Resource, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: want CRDs in .yaml files, found none", folder)
	}
	var all []apiserver.Resource
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		resources, err := Read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, resources...)
	}
	return all, nil
}

// Read reads the CRDs in a YAML or JSON text, one or several documents, and gives
// the kinds of their served versions. These have no Go types; Merge brings them
// together with kinds that have.
func Read(data []byte) ([]apiserver.Resource, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	var all []apiserver.Resource
	for {
		var definition apiextensionsv1.CustomResourceDefinition
		err := decoder.Decode(&definition)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decoding a CustomResourceDefinition: %w", err)
		}
		resources, err := resourcesOf(&definition)
		if err != nil {
			return nil, err
		}
		all = append(all, resources...)
	}
}

// Merge gives base with the schemas, the names and the subresources of defined,
// which keep the Go types of base. Kinds that base lacks are appended.
func Merge(base, defined []apiserver.Resource) []apiserver.Resource {
	merged := slices.Clone(base)
	for _, d := range defined {
		i := slices.IndexFunc(merged, func(b apiserver.Resource) bool {
			return b.Group == d.Group && b.Version == d.Version && b.Kind == d.Kind
		})
		if i < 0 {
			merged = append(merged, d)
			continue
		}
		d.New, d.Key = merged[i].New, merged[i].Key
		merged[i] = d
	}
	return merged
}

func resourcesOf(definition *apiextensionsv1.CustomResourceDefinition) ([]apiserver.Resource, error) {
	if definition.Kind != "CustomResourceDefinition" || definition.APIVersion != apiextensionsv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("want a CustomResourceDefinition of %s, found %q of %q",
			apiextensionsv1.SchemeGroupVersion, definition.Kind, definition.APIVersion)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	var all []apiserver.Resource
	for _, version := range definition.Spec.Versions {
		if !version.Served {
			continue
		}
		r := apiserver.Resource{
			Group: definition.Spec.Group, Version: version.Name,
			Plural: definition.Spec.Names.Plural, Singular: definition.Spec.Names.Singular,
			Kind: definition.Spec.Names.Kind, ShortNames: definition.Spec.Names.ShortNames,
			Namespaced: definition.Spec.Scope == apiextensionsv1.NamespaceScoped,
			Status:     version.Subresources != nil && version.Subresources.Status != nil,
			Generation: true,
		}
		if version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
			s, err := newSchema(definition, version)
			if err != nil {
				return nil, fmt.Errorf("version %s of %s: %w", version.Name, definition.Name, err)
			}
			r.Schema = s
		}
		all = append(all, r)
	}
	return all, nil
}

func internalSchema(version apiextensionsv1.CustomResourceDefinitionVersion) (*apiextensions.JSONSchemaProps, error) {
	var internal apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil)
	return &internal, err
}
