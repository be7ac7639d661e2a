package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// An output is standard output. It remembers that something could not be written:
// not everybody who prints can say so, and help that is cut off is no success.
type output struct {
	io.Writer
	failed error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if err == nil {
		return n, nil
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // the path is one of the system's names for it
	}
	if o.failed == nil {
		o.failed = fmt.Errorf("standard output was not written: %w", err)
	}
	return n, o.failed
}
