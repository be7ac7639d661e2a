// Package files writes reports into files, all of one call in one go. A file is
// there whole or not at all: it is written beside its place and then moved.
//
// It knows every form of report and nothing of how the results came about.
package files
