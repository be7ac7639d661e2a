package vmim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// crdPeriod is how often discovery is asked again for the migrations' CRD
// (kubevirt-behaviour D.9).
const crdPeriod = 10 * time.Second

// Options say how the controller runs. The zero value is usable.
type Options struct {
	// Variant is the set of patches; empty means None.
	Variant Variant
	// Logger takes what the controller says of itself, client-go's part included.
	Logger logr.Logger
	// NewQueue makes the two work queues; nil means named queues of client-go with
	// its default rate limiter.
	NewQueue func(name string) workqueue.TypedRateLimitingInterface[string]
}

// A reader reads single objects past all caches.
type reader interface {
	migration(ctx context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstanceMigration, error)
	instance(ctx context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstance, error)
}

// A Controller is one process of the controller. It runs once.
type Controller struct {
	variant Variant
	log     logr.Logger
	clients clients
	live    reader
	ovn     OVN

	pods, migrations         cache.SharedIndexInformer
	migrationQueue, podQueue queue
	// turn holds a token while one of the two workers of variant wake decides and
	// writes. It is a channel and no mutex, so that a worker that waits for its
	// turn still ends with its context.
	turn chan struct{}
}

// New makes a controller that reads from cfg's cluster and writes to ovn. Nothing
// is read, and no worker runs, before Run; but Run must be called, because the
// queues run already. It fails if cfg or the variant is wrong.
func New(cfg *rest.Config, ovn OVN, o Options) (*Controller, error) {
	variant, err := ParseVariant(string(o.Variant))
	if err != nil {
		return nil, err
	}
	clients, err := newClients(cfg)
	if err != nil {
		return nil, fmt.Errorf("vmim: %w", err)
	}
	c := &Controller{
		variant:    variant,
		log:        o.Logger,
		clients:    clients,
		live:       clients,
		ovn:        ovn,
		pods:       newPodInformer(clients),
		migrations: newMigrationInformer(clients),
		turn:       make(chan struct{}, 1),
	}
	if err := c.addEventHandlers(); err != nil {
		return nil, fmt.Errorf("vmim: %w", err)
	}
	newQueue := o.NewQueue
	if newQueue == nil {
		newQueue = defaultQueue
	}
	c.migrationQueue = queue{MigrationQueue, newQueue(MigrationQueue)}
	c.podQueue = queue{PodQueue, newQueue(PodQueue)}
	return c, nil
}

// Run runs the controller until ctx is done, and returns when its last goroutine
// has ended. It returns nil then.
func (c *Controller) Run(ctx context.Context) error {
	ctx = logr.NewContext(ctx, c.log)
	var running sync.WaitGroup
	defer running.Wait()
	defer c.podQueue.ShutDown()
	defer c.migrationQueue.ShutDown()

	running.Go(func() { c.pods.RunWithContext(ctx) })
	if !cache.WaitFor(ctx, "", c.pods.HasSyncedChecker()) {
		return nil
	}
	if c.variant != Wake {
		c.startWorkers(ctx, &running)
	}
	if err := c.awaitCRD(ctx); err != nil {
		return nil
	}
	running.Go(func() { c.migrations.RunWithContext(ctx) })
	if c.variant == Wake {
		// It takes options away from ports that no migration in the cache needs, so
		// it must have seen all of them first.
		if !cache.WaitFor(ctx, "", c.migrations.HasSyncedChecker()) {
			return nil
		}
		c.startWorkers(ctx, &running)
	}
	<-ctx.Done()
	return nil
}

// awaitCRD returns when the API server serves migrations, or ctx is done.
func (c *Controller) awaitCRD(ctx context.Context) error {
	ticker := time.NewTicker(crdPeriod)
	defer ticker.Stop()
	for {
		served, err := c.clients.servesMigrations(ctx)
		switch {
		case served:
			return nil
		case err != nil && !errors.Is(err, context.Canceled):
			c.log.Error(err, "cannot discover the resource of migrations, asking again", "in", crdPeriod)
		case err == nil:
			c.log.Info("the API server does not serve migrations, asking again", "resource", migrationResource, "in", crdPeriod)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
