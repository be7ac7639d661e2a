package kvvm

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// phases are the phases that follow from KubeVirt's printable status alone. All
// that is not here is Pending (kubevirt-behaviour B.5).
var phases = map[kubevirtv1.VirtualMachinePrintableStatus]v1alpha2.MachinePhase{
	kubevirtv1.VirtualMachineStatusStarting:    v1alpha2.MachineStarting,
	kubevirtv1.VirtualMachineStatusRunning:     v1alpha2.MachineRunning,
	kubevirtv1.VirtualMachineStatusPaused:      v1alpha2.MachinePause,
	kubevirtv1.VirtualMachineStatusStopping:    v1alpha2.MachineStopping,
	kubevirtv1.VirtualMachineStatusStopped:     v1alpha2.MachineStopped,
	kubevirtv1.VirtualMachineStatusTerminating: v1alpha2.MachineTerminating,
	kubevirtv1.VirtualMachineStatusMigrating:   v1alpha2.MachineMigrating,
}

// Reasons of the condition Synchronized with which a VM that starts counts as
// Pending.
var createFailures = []string{"FailedCreate", "FailedBackendStorageCreate"}

// phaseOf is the phase of a VM, or, without one, that of its KVVM. Ready says
// whether all that the VM depends on exists.
func phaseOf(vm *v1alpha2.VirtualMachine, kvvm *kubevirtv1.VirtualMachine, ready bool) v1alpha2.MachinePhase {
	if kvvm == nil {
		return v1alpha2.MachinePending
	}
	phase, known := phases[kvvm.Status.PrintableStatus]
	switch {
	case !known:
		return v1alpha2.MachinePending
	case phase == v1alpha2.MachineStarting && slices.Contains(createFailures, kvvmCondition(kvvm, conditionSynchronized).Reason):
		return v1alpha2.MachinePending
	case phase == v1alpha2.MachineStopped && vm != nil && waitsToStart(vm, kvvm, ready):
		return v1alpha2.MachinePending
	}
	return phase
}

// waitsToStart tells a VM that has not started yet from one that is stopped.
func waitsToStart(vm *v1alpha2.VirtualMachine, kvvm *kubevirtv1.VirtualMachine, ready bool) bool {
	start, restart := kvvm.Annotations[AnnStartRequested] == requested, kvvm.Annotations[AnnRestartRequested] == requested
	if !ready && start {
		return true
	}
	if vm.Status.Phase != v1alpha2.MachinePending {
		return false
	}
	switch vm.Spec.RunPolicy {
	case v1alpha2.AlwaysOnPolicy:
		return true
	case v1alpha2.AlwaysOnUnlessStoppedManually:
		return runStrategy(kvvm) != kubevirtv1.RunStrategyManual || start || restart
	}
	return false
}

func runStrategy(kvvm *kubevirtv1.VirtualMachine) kubevirtv1.VirtualMachineRunStrategy {
	if s := kvvm.Spec.RunStrategy; s != nil {
		return *s
	}
	return ""
}

func kvvmCondition(kvvm *kubevirtv1.VirtualMachine, name string) kubevirtv1.VirtualMachineCondition {
	for _, c := range kvvm.Status.Conditions {
		if string(c.Type) == name {
			return c
		}
	}
	return kubevirtv1.VirtualMachineCondition{Status: corev1.ConditionUnknown}
}
