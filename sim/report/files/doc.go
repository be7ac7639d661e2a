// Package files writes reports into files, all of one call in one go. A file is
// there whole or not at all.
//
// It knows every form of report and nothing of how the results came about.
package files
