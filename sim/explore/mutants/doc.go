// Package mutants tells whether the search finds bugs that it does not know: it
// plants small ones in the controllers of migrations, variant wake, and of machines,
// variant level, and searches.
//
// A mutant is an edit of one place of a controller's source. All of them are
// built into one vmreplay by an overlay, each behind a condition on an environment
// variable; the sources themselves know nothing of it. An edit whose text is not
// there exactly once fails, so that the list keeps up with the code.
package mutants
