package cluster_test

import "github.com/vmreplay/vmreplay/sim/engine"

type change = engine.Change
