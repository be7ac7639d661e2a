package kvvm

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// A Queue is the work queue of the controller: namespaces and names of VMs.
type Queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// A Limiter says how long a VM waits for its next attempt after an error.
type Limiter = workqueue.TypedRateLimiter[reconcile.Request]

// Options say how the controller runs. The zero value is usable.
type Options struct {
	// Variant is the set of patches; empty means None.
	Variant Variant
	// Logger takes what the controller says of itself; what controller-runtime
	// says comes three levels further down.
	Logger logr.Logger
	// NewQueue makes the work queue; nil means controller-runtime's priority queue.
	// The limiter is the one of upstream-verdicts 2.5: 5 ms doubling up to 1000 s
	// for each VM.
	NewQueue func(name string, limiter Limiter) Queue
}

// Times of upstream-verdicts 2.5.
const (
	firstRetry       = 5 * time.Millisecond
	lastRetry        = 1000 * time.Second
	cacheSyncTimeout = 10 * time.Minute
)

// A Controller is one process of the controller. It runs once.
type Controller struct{ manager manager.Manager }

// New makes a controller that works on cfg's cluster. Nothing is read, and nothing
// runs, before Run. It fails if cfg or the variant is wrong.
func New(cfg *rest.Config, o Options) (*Controller, error) {
	variant, err := ParseVariant(string(o.Variant))
	if err != nil {
		return nil, err
	}
	m, err := newManager(cfg, o.Logger)
	if err != nil {
		return nil, fmt.Errorf("kvvm: %w", err)
	}
	c, err := controller.New(ControllerName, m, controller.Options{
		Reconciler:              newReconciler(m.GetClient(), variant, o.Logger),
		MaxConcurrentReconciles: 1,
		CacheSyncTimeout:        cacheSyncTimeout,
		RecoverPanic:            ptr.To(true),
		UsePriorityQueue:        ptr.To(true),
		NeedLeaderElection:      ptr.To(false),
		// Several controllers of one process may have this name.
		SkipNameValidation: ptr.To(true),
		RateLimiter:        workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
		NewQueue:           o.NewQueue,
		LogConstructor:     logsFor(o.Logger),
	})
	if err != nil {
		return nil, fmt.Errorf("kvvm: %w", err)
	}
	if err := watch(m, c, variant); err != nil {
		return nil, fmt.Errorf("kvvm: %w", err)
	}
	return &Controller{m}, nil
}

// Run runs the controller until ctx is done, and returns when its last handler has
// ended. It returns nil then.
func (c *Controller) Run(ctx context.Context) error { return c.manager.Start(ctx) }

// newManager makes the cached client and what runs it; it serves nothing.
func newManager(cfg *rest.Config, log logr.Logger) (manager.Manager, error) {
	cfg = rest.CopyConfig(cfg)
	if cfg.ContentType == "" {
		cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	}
	return manager.New(cfg, manager.Options{
		Scheme:                 types(),
		MapperProvider:         func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return resources(), nil },
		Logger:                 log.V(3).WithName("controller-runtime"),
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
}

// logsFor names in every log line the VM that it is about.
func logsFor(log logr.Logger) func(*reconcile.Request) logr.Logger {
	return func(r *reconcile.Request) logr.Logger {
		if r == nil {
			return log.V(3)
		}
		return log.WithValues("key", r.String())
	}
}
