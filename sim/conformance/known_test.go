package conformance

import "strings"

// A knownDifference is one that we accept, and why.
type knownDifference struct {
	// where is a part of the names of cases.
	where string
	// path is a part of the path of the difference; empty for all of the case.
	path   string
	reason string
}

var knownDifferences = []knownDifference{
	{"as a table", "", "tables are for people: kubectl also accepts plain JSON, and gets it"},
	{"PersistentVolumeClaim/update that changes nothing", "", "kube-apiserver stores a claim anew at its first update, changed or not"},
	{"PersistentVolumeClaim/server-side apply", ".resourceVersion", "as above"},
	{"Namespace/deletion that a finalizer holds", ".resourceVersion", "no namespace controller is simulated: a namespace goes with its last finalizer in the metadata"},
	{"protobuf for a custom resource", "", "kube-apiserver 1.37.2 drops the connection where it means 415, which we answer"},
	{"client.Client PartialObjectMetadata", ".items", "the real answer is protobuf, whose items leave out their kind; ours is JSON, which says it"},
	{"Namespace/server-side apply after", "fieldsV1", "the label with a namespace's name belongs to its creator, not to nobody"},
}

// known finds the entry of the list that a difference is covered by, or -1.
func known(name string, d difference) int {
	for i, k := range knownDifferences {
		if strings.Contains(name, k.where) && strings.Contains(d.path, k.path) {
			return i
		}
	}
	return -1
}
