// Package scenarios holds the stories that come with the project, one YAML file
// each, in one folder for each controller. README.md is the reference of their
// language.
package scenarios

import "embed"

// FS holds all stories: "vmim/<name>.yaml".
//
//go:embed */*.yaml
var FS embed.FS

// Reference is the reference of the language, README.md.
//
//go:embed README.md
var Reference string
