package vmim

import (
	"fmt"
	"slices"
	"strings"
)

// A Variant is the handler with a set of patches.
type Variant string

// The variants; the package documentation compares them.
const (
	None            Variant = "none"             // Kube-OVN v1.15.10
	SchedulingRetry Variant = "scheduling-retry" // with kube-ovn#6834
	TargetPodRetry  Variant = "target-pod-retry" // with the guard of cozystack#4253
	Both            Variant = "both"             // with both of them
	Wake            Variant = "wake"             // level-triggered, woken by pods
)

// Variants lists all variants, the unpatched one first.
func Variants() []Variant {
	return []Variant{None, SchedulingRetry, TargetPodRetry, Both, Wake}
}

// ParseVariant returns the variant of that name. The empty name is None.
func ParseVariant(s string) (Variant, error) {
	if s == "" {
		return None, nil
	}
	if v := Variant(s); slices.Contains(Variants(), v) {
		return v, nil
	}
	names := make([]string, 0, len(Variants()))
	for _, v := range Variants() {
		names = append(names, string(v))
	}
	return "", fmt.Errorf("there is no variant %q of the vmim controller; the variants are %s", s, strings.Join(names, ", "))
}

// retriesNode says whether a node that is not known yet is an error.
func (v Variant) retriesNode() bool { return v == SchedulingRetry || v == Both }

// retriesPod says whether a target pod that is not in the cache is an error.
func (v Variant) retriesPod() bool { return v == TargetPodRetry || v == Both }
