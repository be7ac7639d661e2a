package lockstep

import "embed"

// Source is the source of this package, to be compiled into a module that does
// not require this one. Its tests and this file, which it does not need there,
// are among the files.
//
//go:embed *.go
var Source embed.FS
