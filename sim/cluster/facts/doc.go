// Package facts reads, out of the API's objects, what the stand-ins need to
// know: once per revision, straight from the decoded JSON,
// because decoding whole typed objects would take most of a run's time.
//
// It also holds the names (labels, annotations, finalizers) that KubeVirt's
// parts agree on. It knows the helpers of standin; it knows no stand-in.
package facts
