package gate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockstepPath is the import path that a binding names. In the tree it stands
// for a copy of the package, a folder in the tree's own module.
const (
	lockstepPath   = "github.com/vmreplay/vmreplay/sim/lockstep"
	lockstepFolder = "vmreplay_lockstep"
)

// A binding is a test file that builds a controller from what lockstep gives it.
type binding struct {
	path string
	text []byte
	// pkg is the name in its package clause; test is the test that serves.
	pkg, test string
	at, end   int // of the import path in text, quotes included
}

// readBinding reads a file and finds what must be in it.
func readBinding(path string) (*binding, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--binding: %w", err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, 0)
	if err != nil {
		return nil, fmt.Errorf("--binding: %w", err)
	}
	b := &binding{path: path, text: text, pkg: file.Name.Name}
	name := b.findImport(files, file)
	if name == "" {
		return nil, fmt.Errorf("%s: expected an import of %q, found none: a binding calls lockstep.Serve", path, lockstepPath)
	}
	if err := b.findTest(file, name); err != nil {
		return nil, err
	}
	return b, nil
}

// findImport returns the name by which the file calls lockstep.
func (b *binding) findImport(files *token.FileSet, file *ast.File) string {
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != lockstepPath {
			continue
		}
		b.at, b.end = files.Position(spec.Path.Pos()).Offset, files.Position(spec.Path.End()).Offset
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "lockstep"
	}
	return ""
}

// findTest finds the one test that calls Serve.
func (b *binding) findTest(file *ast.File, lockstep string) error {
	var tests []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && serves(f, lockstep) {
			tests = append(tests, f.Name.Name)
		}
	}
	if len(tests) != 1 {
		return fmt.Errorf("%s: expected one test (func TestX(t *testing.T)) that calls %s.Serve, found %d", b.path, lockstep, len(tests))
	}
	b.test = tests[0]
	return nil
}

func serves(f *ast.FuncDecl, lockstep string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Serve" {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && x.Name == lockstep
		}
		return !found
	})
	return found
}

// in is the binding's text for a module: lockstep is a folder of the module. No
// line moves, so the compiler's messages fit the file as it was given.
func (b *binding) in(module string) []byte {
	path := strconv.Quote(module + "/" + lockstepFolder)
	return append(append(append([]byte{}, b.text[:b.at]...), path...), b.text[b.end:]...)
}

// fileName is the name that the binding has in the controller's package.
func (b *binding) fileName() string {
	name, _, _ := strings.Cut(filepath.Base(b.path), ".")
	return "vmreplay_" + strings.TrimSuffix(name, "_test") + "_test.go"
}
