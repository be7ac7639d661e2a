package kvvm

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// An action is what it takes to apply a change.
type action int

// The actions, the mildest first.
const (
	applyNone action = iota // only the annotations follow
	applyNow
	applyByRestart
)

// A change is one field that differs from what was applied last.
type change struct {
	path   string
	action action
}

// Paths of changes (upstream-verdicts 2.2).
const (
	pathAffinity          = "affinity"
	pathNodeSelector      = "nodeSelector"
	pathTolerations       = "tolerations"
	pathSpread            = "topologySpreadConstraints"
	pathPriority          = "priorityClassName"
	pathClassName         = "virtualMachineClassName"
	pathClassNodeSelector = "VirtualMachineClass:spec.nodeSelector"
	pathClassTolerations  = "VirtualMachineClass:spec.tolerations"
)

// changes are what the VM and its class have that the KVVM's annotations have not.
// An annotation that is missing or no spec counts as an empty spec.
type changes struct{ vm, class []change }

func changesOf(vm *v1alpha2.VirtualMachine, class *v1alpha2.VirtualMachineClass, kvvm *kubevirtv1.VirtualMachine, gate bool) changes {
	place := applyByRestart
	if gate {
		place = applyNow
	}
	var c changes
	applied := lastApplied[v1alpha2.VirtualMachineSpec](kvvm, AnnLastAppliedSpec)
	c.vm = differences(
		compare("runPolicy", applyNone, applied.RunPolicy, vm.Spec.RunPolicy),
		compare(pathClassName, applyByRestart, applied.VirtualMachineClassName, vm.Spec.VirtualMachineClassName),
		compare("cpu.cores", applyByRestart, applied.CPU.Cores, vm.Spec.CPU.Cores),
		compare("memory.size", applyByRestart, applied.Memory.Size, vm.Spec.Memory.Size),
		compare(pathNodeSelector, place, applied.NodeSelector, vm.Spec.NodeSelector),
		compare(pathAffinity, place, applied.Affinity, vm.Spec.Affinity),
		compare(pathTolerations, place, applied.Tolerations, vm.Spec.Tolerations),
		compare(pathSpread, applyByRestart, applied.TopologySpreadConstraints, vm.Spec.TopologySpreadConstraints),
		compare(pathPriority, applyByRestart, applied.PriorityClassName, vm.Spec.PriorityClassName),
		compare("terminationGracePeriodSeconds", applyByRestart, applied.TerminationGracePeriodSeconds, vm.Spec.TerminationGracePeriodSeconds),
	)
	if class != nil {
		applied := lastApplied[v1alpha2.VirtualMachineClassSpec](kvvm, AnnLastAppliedClassSpec)
		c.class = differences(
			compare(pathClassNodeSelector, place, applied.NodeSelector, class.Spec.NodeSelector),
			compare(pathClassTolerations, place, applied.Tolerations, class.Spec.Tolerations),
		)
	}
	return c
}

func lastApplied[T any](kvvm *kubevirtv1.VirtualMachine, key string) T {
	var spec T
	if err := json.Unmarshal([]byte(kvvm.Annotations[key]), &spec); err != nil {
		var empty T
		return empty
	}
	return spec
}

func compare(path string, a action, applied, wanted any) change {
	if equality.Semantic.DeepEqual(applied, wanted) {
		return change{}
	}
	return change{path, a}
}

func differences(compared ...change) []change {
	return slices.DeleteFunc(compared, func(c change) bool { return c.path == "" })
}

func (c changes) all() []change { return slices.Concat(c.vm, c.class) }

// String lists the paths.
func (c changes) String() string {
	var paths []string
	for _, one := range c.all() {
		paths = append(paths, one.path)
	}
	return strings.Join(paths, ",")
}

func (c changes) empty() bool { return len(c.vm)+len(c.class) == 0 }

// action is the strongest of the actions that the changes take.
func (c changes) action() action {
	strongest := applyNone
	for _, one := range c.all() {
		strongest = max(strongest, one.action)
	}
	return strongest
}

// touch says whether one of the paths changed.
func (c changes) touch(paths ...string) bool {
	return slices.ContainsFunc(c.all(), func(one change) bool { return slices.Contains(paths, one.path) })
}

// restartUnplaced says whether a change takes a restart that has nothing to do with
// the placement: a pod does not show it.
func (c changes) restartUnplaced() bool {
	placed := []string{pathAffinity, pathNodeSelector, pathTolerations, pathSpread, pathPriority, pathClassName, pathClassNodeSelector, pathClassTolerations}
	return slices.ContainsFunc(c.all(), func(one change) bool {
		return one.action == applyByRestart && !slices.Contains(placed, one.path)
	})
}

// awaitingRestart are the paths of the VM's changes that wait for a restart.
func awaitingRestart(list []change) []string {
	var paths []string
	for _, one := range list {
		if one.action == applyByRestart {
			paths = append(paths, one.path)
		}
	}
	return paths
}
