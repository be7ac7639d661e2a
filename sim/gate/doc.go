// Package gate runs scenarios on a controller in its own source tree, with the
// patches that somebody carries over it, and says which patch owns which case.
//
// Nothing in the tree is touched. A Subject compiles the package's test binary
// with `go test -c -overlay`: the overlay adds lockstep as a package of the
// tree's own module, puts the binding (a test file that builds the controller)
// into the controller's package, and replaces the files that the patches change
// by patched copies. So the tree keeps its versions, its build flags and its
// vendor folder. Each set of patches gives a binary, which is kept in the user's
// cache until one of its inputs changes, and serves runs as a child process.
//
// The package knows scenarios, lockstep and results. It knows no flags and prints
// nothing but what its writers are asked for.
package gate
