package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		name   string
		source string
		want   Error
	}{
		{"unknown function", `vmin("default/migration") == null`, Error{1, 5, `unknown name "vmin"`, "vmim"}},
		{"unknown list", `pds() == []`, Error{1, 4, `unknown name "pds"`, "pods"}},
		{"unknown method", `"a".startWith("b")`, Error{1, 14, `unknown name "startWith"`, "startsWith"}},
		{"nothing near", `kubernetes() == 1`, Error{1, 11, `unknown name "kubernetes"`, ""}},
		{"function without a call", `pod == null`, Error{1, 1, `pod is a function: write pod("namespace/name")`, ""}},
		{"list function without a call", `pods == null`, Error{1, 1, `pods is a function: write pods()`, ""}},
		{"no key", `pod() == null`, Error{1, 4, `expected pod("namespace/name"), found pod()`, ""}},
		{"key of another type", `node(1) == null`, Error{1, 5, `expected node("name"), found node(int)`, ""}},
		{"key without namespace", `pod("x") == null`, Error{1, 5, `the key of a Pod is "namespace/name"; found "x"`, ""}},
		{"key with namespace", `node("a/b") == null`, Error{1, 6, `the key of a Node is "name"; found "a/b"`, ""}},
		{"empty name", `pod("a/") == null`, Error{1, 5, `the key of a Pod is "namespace/name"; found "a/"`, ""}},
		{"type error", `1 < "a"`, Error{1, 3, `< cannot be applied to (int, string)`, ""}},
		{"type error in the second line", "true &&\n  1 < \"a\"", Error{2, 5, `< cannot be applied to (int, string)`, ""}},
		{"not a boolean", `pods().size()`, Error{1, 1, `the expression must be true or false; found one of type int`, ""}},
		{"nothing", "  ", Error{1, 3, `expected an expression, found nothing`, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := testEnv(t).Compile(tt.source)
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("Compile(%q) gives %v, want an *Error", tt.source, err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("Compile(%q) (-want +got):\n%s", tt.source, diff)
			}
		})
	}
}

func TestCompileSyntaxErrorHasAPosition(t *testing.T) {
	_, err := testEnv(t).Compile("pod(\"a/b\") ==\n == null")
	var got *Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if got.Line != 2 || got.Column != 2 || !strings.HasPrefix(got.Message, "syntax error: ") {
		t.Errorf("got %v, want a syntax error at 2:2", got)
	}
}

func TestErrorText(t *testing.T) {
	err := &Error{2, 5, `unknown name "vmin"`, "vmim"}
	if got, want := err.Error(), `2:5: unknown name "vmin"; did you mean "vmim"?`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNewEnv(t *testing.T) {
	tests := []struct {
		name  string
		kinds []Kind
		want  string
	}{
		{"two kinds with one function", []Kind{{"Pod", "pod", true}, {"PodX", "pod", true}}, "both claim the function pod"},
		{"a plural taken", []Kind{{"Pod", "pod", true}, {"Pods", "pods", true}}, "both claim the function pods"},
		{"a function of CEL", []Kind{{"Size", "size", false}}, "size is a function of CEL itself"},
		{"no name", []Kind{{"X", "a-b", false}}, `the function "a-b" is no CEL name`},
		{"empty", []Kind{{"X", "", false}}, `the function "" is no CEL name`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewEnv(tt.kinds)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestNewEnvIsSharedWhateverTheOrder(t *testing.T) {
	a, err := NewEnv([]Kind{{"Pod", "pod", true}, {"Node", "node", false}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewEnv([]Kind{{"Node", "node", false}, {"Pod", "pod", true}})
	if err != nil {
		t.Fatal(err)
	}
	if a != b {
		t.Error("the same kinds gave two environments")
	}
}

func TestListFunc(t *testing.T) {
	tests := []struct{ name, want string }{
		{"pod", "pods"}, {"policy", "policies"}, {"gateway", "gateways"}, {"ingress", "ingresses"}, {"box", "boxes"}, {"y", "ys"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Kind{Func: tt.name}).ListFunc(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
