package standin_test

import (
	"testing"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// newProcess is a process on an empty stage.
func newProcess(t *testing.T) (*stage.Stage, *standin.StandIn) {
	s := stage.New(t)
	return s, standin.New(s.Host(), "part")
}

var configMap = engine.Ref{Kind: "ConfigMap", Namespace: "default", Name: "one"}

const configMapOne = `
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: default, uid: uid-1, labels: {team: red}}
data: {a: "1"}
`

const configMapTwo = `
apiVersion: v1
kind: ConfigMap
metadata: {name: two, namespace: default, uid: uid-2, labels: {team: blue}}
data: {a: "2"}
`
