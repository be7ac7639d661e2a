package vmim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
)

func TestParseVariant(t *testing.T) {
	wrong := `there is no variant "all" of the vmim controller; the variants are none, scheduling-retry, target-pod-retry, both, wake`
	tests := []struct {
		name string
		want Variant
		err  string
	}{
		{"", None, ""},
		{"none", None, ""},
		{"scheduling-retry", SchedulingRetry, ""},
		{"target-pod-retry", TargetPodRetry, ""},
		{"both", Both, ""},
		{"wake", Wake, ""},
		{"all", "", wrong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseVariant(test.name)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if got != test.want || text != test.err {
				t.Errorf("ParseVariant(%q) = %q, %q; want %q, %q", test.name, got, text, test.want, test.err)
			}
		})
	}
}

func TestVariantsAreParsed(t *testing.T) {
	for _, v := range Variants() {
		got, err := ParseVariant(string(v))
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestNewRefusesAnUnknownVariant(t *testing.T) {
	if _, err := New(&rest.Config{}, newOVNTable(nil), Options{Variant: "all"}); err == nil {
		t.Error("New accepted the variant \"all\"")
	}
}
