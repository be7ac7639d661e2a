package sim

import (
	"context"
	"runtime/debug"
	"sync"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/features"
	"k8s.io/klog/v2"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// quiet takes client-go's process-wide habits out of the way, once:
//   - its error handler sleeps until a millisecond after the last error of
//     anybody, by a timestamp in a global variable; runs that go on side by side
//     live in different years, and would sleep for years;
//   - its crash handler prints and panics again, which would end this process and
//     all other runs with it; now it ends the run that it happened in;
//   - its global logger writes to the real standard error;
//   - its reflectors gather a streamed list in a Go map, so that the ADDED events
//     of a new cache come in an order that nothing can seed. They list first here,
//     as client-go did up to 0.34: a list comes in the server's order.
var quiet = sync.OnceFunc(func() {
	klog.SetLogger(logr.Discard())
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(context.Context, any){func(_ context.Context, v any) {
		lockstep.Panicked(v, debug.Stack())
	}}
	features.ReplaceFeatureGates(listFirst{features.FeatureGates()})
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(context.Context, error, string, ...any) {}}
})

// listFirst are client-go's own feature gates without streamed lists.
type listFirst struct{ features.Gates }

func (g listFirst) Enabled(f features.Feature) bool {
	return f != features.WatchListClient && g.Gates.Enabled(f)
}
