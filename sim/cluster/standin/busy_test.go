package standin_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// busy is an API server to which somebody else writes between a read and a write,
// some times.
type busy struct {
	*apiserver.Server
	stage *stage.Stage
	times int
}

func (b *busy) Get(ref engine.Ref) (*apiserver.Object, error) {
	o, err := b.Server.Get(ref)
	if b.times > 0 {
		b.times--
		b.stage.Patch("ConfigMap", "default/one", "", "metadata: {labels: {writer: other-"+string(rune('a'+b.times))+"}}")
	}
	return o, err
}

// TestPatchLiveOnABusyServer: on a server with other clients, what is live at the
// read may be old at the write.
func TestPatchLiveOnABusyServer(t *testing.T) {
	s := stage.New(t)
	s.Load(configMapOne)
	api := &busy{Server: s.API, stage: s, times: 2}
	p := standin.New(standin.Host{Gate: s.Engine, API: api}, "part")
	var failed error
	p.Run([]standin.Write{p.PatchLive(configMap, "uid-1", "", func(content map[string]any) bool {
		standin.Set(content, "live", "data", "a")
		return true
	})}, func(err error) { failed = err })
	s.Engine.Advance(time.Second)
	content := s.Object("ConfigMap", "default/one")
	if failed != nil || standin.String(content, "data", "a") != "live" || standin.String(content, "metadata", "labels", "writer") != "other-a" {
		t.Errorf("want both writes in the object, found %v and %v", failed, content)
	}
}
