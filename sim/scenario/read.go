package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxSize is the largest file that is read. The largest that anybody wrote by
// hand has some kilobytes, so a larger one is no scenario but a mistake.
const maxSize = 1 << 20

// A document is one YAML file on its way to a Scenario or a fixture.
type document struct {
	*loader
	file  string // as errors show it
	raw   []byte
	lines []int // offset in raw at which each line starts
	root  *yaml.Node
}

// read parses one file. It returns nil if it reported a problem.
func (l *loader) read(fsys fs.FS, name string) *document {
	d := &document{loader: l, file: display(fsys, name)}
	text, err := readLimited(fsys, name)
	if err != nil {
		l.errorf(d.start(), "%v", err)
		return nil
	}
	d.raw = text
	if !d.isText() || !d.parse() || !d.aliasesAreSmall() {
		return nil
	}
	return d
}

func (d *document) start() Pos { return Pos{File: d.file, Line: 1, Column: 1} }

// readLimited looks at the size first, so that a huge file is refused without
// being read, and a pipe or device without being opened.
func readLimited(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, cause(err)
	case info.IsDir():
		return nil, errors.New("expected a file, found a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("expected a regular file, found a " + info.Mode().Type().String())
	case info.Size() > maxSize:
		return nil, fmt.Errorf("the file has %d bytes: at most %d (1 MiB) are read", info.Size(), maxSize)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("the file has more than %d bytes (1 MiB)", maxSize)
	}
	return text, nil
}

// cause leaves out the path of an error of the file system: the position names
// it already.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("the file cannot be read: %w", err)
}

func (d *document) isText() bool {
	d.lines = lineStarts(d.raw)
	if utf8.Valid(d.raw) {
		return true
	}
	at := d.start()
	for rest := d.raw; ; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at.Column++
		if r == '\n' {
			at.Line, at.Column = at.Line+1, 1
		}
		rest = rest[size:]
	}
	d.errorf(at, "the file is no UTF-8 text")
	return false
}

func (d *document) parse() bool {
	decoder := yaml.NewDecoder(bytes.NewReader(d.raw))
	var first, second yaml.Node
	err := decode(decoder, &first)
	switch {
	case errors.Is(err, io.EOF):
		d.errorf(d.start(), "the file is empty")
		return false
	case err != nil:
		d.yamlError(err)
		return false
	}
	d.root = first.Content[0]
	err = decode(decoder, &second)
	switch {
	case errors.Is(err, io.EOF):
		return true
	case err != nil:
		d.yamlError(err)
	default:
		d.errorf(d.pos(&second), "a second document starts here: expected one document in a file")
	}
	return false
}

// decode turns a panic of the parser into an error: it has some on malformed
// comments, and a bad file must never end the program.
func decode(decoder *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return decoder.Decode(into)
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// yamlError reports a syntax error. The parser tells its line, not its column.
func (d *document) yamlError(err error) {
	at, message := d.start(), strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	d.errorf(at, "bad YAML: %s", message)
}
