package virthandler

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// ProcessName is the process of the virt-handlers; one stands for all nodes.
const ProcessName = "virt-handler"

// Defaults of the options.
const (
	DefaultLatency  = time.Millisecond
	DefaultPrepare  = 500 * time.Millisecond
	DefaultTransfer = 10 * time.Second // kubevirt-behaviour E: data phase 5-120 s
	DefaultStart    = time.Second      // kubevirt-behaviour E: domain start 1-5 s
	DefaultShutdown = time.Second
)

// Launchers are the pods in which domains run, as their nodes see them.
type Launchers interface {
	// OnExit registers a function to call when a launcher is stopped.
	OnExit(func(pod *facts.Pod, succeeded bool))
	// Exit ends the launcher of a pod, given as "namespace/name".
	Exit(pod string, succeeded bool)
	// Find is the pod in which the launcher of an instance, given by its UID, runs
	// on a node; "" if there is none.
	Find(vmi, node string) string
	// Runs says whether the launcher of a pod, given as "namespace/name", runs.
	Runs(pod string) bool
	// Started tells the launcher of a pod that its domain runs.
	Started(pod string)
}

// Options are what may be set of virt-handler.
type Options struct {
	// Latency is how long one pass over an instance takes before it writes.
	Latency time.Duration
	// Prepare is how long the target node needs until it can receive.
	Prepare time.Duration
	// Transfer is how long the data phase takes.
	Transfer time.Duration
	// Start is how long it takes to define and start a domain.
	Start time.Duration
	// Shutdown is how long a guest takes to shut down; it is cut short by the
	// instance's grace period.
	Shutdown time.Duration
	// Launchers may be nil: then no pod ends when its domain does, and none takes
	// its domain with it.
	Launchers Launchers
}

// A Handler is the running virt-handlers.
type Handler struct {
	*standin.StandIn
	o     Options
	vmis  *standin.View[facts.VMI]
	nodes *standin.View[corev1.Node]
	queue *standin.Queue
	jobs  map[string]*job // by the instance's key
	// domains are those that were started or are being stopped, by the instance's
	// key.
	domains map[string]*domain
	// lost are instances whose domain ended, by key: the phase that they end in.
	lost map[string]string
}

// New starts the virt-handlers.
func New(h standin.Host, o Options) (*Handler, error) {
	v := &Handler{StandIn: standin.New(h, ProcessName), o: o, jobs: map[string]*job{}, domains: map[string]*domain{}, lost: map[string]string{}}
	v.queue = v.NewQueue(standin.QueueOptions{Kind: facts.KindVMI, Latency: o.Latency}, v.reconcile)
	if o.Launchers != nil {
		o.Launchers.OnExit(v.launcherExited)
	}
	var err error
	v.nodes, err = standin.Watch(v.StandIn, facts.KindNode, apiserver.WatchOptions{}, apiserver.As[corev1.Node], v.nodeChanged)
	if err != nil {
		return nil, err
	}
	v.vmis, err = standin.Watch(v.StandIn, facts.KindVMI, apiserver.WatchOptions{}, facts.ReadVMI, func(ev standin.Event[facts.VMI]) {
		if ev.New == nil {
			v.forget(ev.Key)
			return
		}
		if ev.New.Label(facts.LabelNodeName) != "" || ev.New.Label(facts.LabelTargetNodeName) != "" {
			v.queue.Add(ev.Key) // others are not on any node yet
		}
	})
	return v, err
}

// nodeChanged marks a new node as fit for virtual machines, which launcher pods
// select it by (kubevirt-behaviour C.3). A label that is there stays.
func (v *Handler) nodeChanged(ev standin.Event[corev1.Node]) {
	if ev.Old != nil || ev.New == nil {
		return
	}
	if _, ok := ev.New.Labels[facts.LabelSchedulable]; ok {
		return
	}
	patch := map[string]any{"metadata": map[string]any{"labels": map[string]any{facts.LabelSchedulable: "true"}}}
	v.Run([]standin.Write{v.PatchMerge(engine.Ref{Kind: facts.KindNode, Name: ev.Key}, patch, "")}, nil)
}

// address is where a node receives migrations.
func (v *Handler) address(node string) string {
	if n := v.nodes.Get(node); n != nil {
		for _, a := range n.Status.Addresses {
			if a.Type == corev1.NodeInternalIP {
				return a.Address
			}
		}
	}
	return node
}

func (v *Handler) forget(key string) {
	if j := v.jobs[key]; j != nil {
		j.stop()
	}
	if d := v.domains[key]; d != nil {
		d.stop()
	}
	delete(v.jobs, key)
	delete(v.domains, key)
	delete(v.lost, key)
}

// launcherExited takes in that a launcher is gone, and its domain with it.
func (v *Handler) launcherExited(pod *facts.Pod, succeeded bool) {
	key := pod.Sibling(pod.Label(facts.LabelVMName))
	vmi := v.vmis.Get(key)
	if vmi == nil {
		return
	}
	if j := v.jobs[key]; j != nil && j.target == pod.Ref.Name {
		j.fail(targetLost)
	} else if pod.NodeName == vmi.NodeName && (pod.InstanceUID() == "" || pod.InstanceUID() == vmi.UID) {
		v.ended(vmi, succeeded)
	}
	v.queue.Add(key)
}
