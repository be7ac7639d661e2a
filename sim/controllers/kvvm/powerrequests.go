package kvvm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apitypes "k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// interrupt stops a VM that may not start, and remembers that it shall.
func (h *powerState) interrupt(ctx context.Context, x situation, decision power) error {
	if decision == restart {
		if err := deleteObject(ctx, h.client, x.kvvmi); err != nil {
			return err
		}
	}
	return h.annotateStart(ctx, x)
}

func (h *powerState) annotateStart(ctx context.Context, x situation) error {
	if x.kvvm.Annotations[AnnStartRequested] == requested {
		return nil
	}
	return patchKVVM(ctx, h.client, x.kvvm, annotations(map[string]any{AnnStartRequested: requested}))
}

// clearRequests removes the annotations that asked for what was done.
func (h *powerState) clearRequests(ctx context.Context, x situation) error {
	remove := map[string]any{}
	for _, key := range []string{AnnStartRequested, AnnRestartRequested} {
		if _, ok := x.kvvm.Annotations[key]; ok {
			remove[key] = nil
		}
	}
	if len(remove) == 0 {
		return nil
	}
	return patchKVVM(ctx, h.client, x.kvvm, annotations(remove))
}

func annotations(values map[string]any) map[string]any {
	return map[string]any{"metadata": map[string]any{"annotations": values}}
}

func patchKVVM(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine, merge map[string]any) error {
	patch, err := json.Marshal(merge)
	if err != nil {
		return err
	}
	if err := c.Patch(ctx, kvvm.DeepCopy(), client.RawPatch(apitypes.MergePatchType, patch)); err != nil {
		return fmt.Errorf("patch the KVVM: %w", err)
	}
	return nil
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

type requests = []kubevirtv1.VirtualMachineStateChangeRequest

// requestStart asks KubeVirt to start the VM. Another request that it has not dealt
// with is an error: it would be lost.
func requestStart(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine) error {
	wanted := requests{{Action: kubevirtv1.StartRequest}}
	if there := kvvm.Status.StateChangeRequests; len(there) > 0 {
		if equality.Semantic.DeepEqual(there, wanted) {
			return nil
		}
		return fmt.Errorf("start the VM: another change of its state is already underway: %v", there)
	}
	return patchRequests(ctx, c, kvvm, wanted, kvvm.Status.StartFailure != nil)
}

// requestRestart asks KubeVirt to replace that instance, unless it has a request to
// deal with already. There is no test in the patch: a request that the cache has
// not yet is overwritten (kubevirt-behaviour B.5).
func requestRestart(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine, kvvmi *kubevirtv1.VirtualMachineInstance) error {
	if len(kvvm.Status.StateChangeRequests) > 0 {
		return nil
	}
	return patchRequests(ctx, c, kvvm, stopAndStart(kvvmi), false)
}

// requestReplacement asks KubeVirt to replace that instance, unless a request to stop
// it is there. A lone request to start is overwritten: it is the one that made the
// instance, or is none that could be lost.
func requestReplacement(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine, kvvmi *kubevirtv1.VirtualMachineInstance) error {
	if slices.ContainsFunc(kvvm.Status.StateChangeRequests, func(r kubevirtv1.VirtualMachineStateChangeRequest) bool {
		return r.Action == kubevirtv1.StopRequest
	}) {
		return nil
	}
	return patchRequests(ctx, c, kvvm, stopAndStart(kvvmi), false)
}

func startAsked(kvvm *kubevirtv1.VirtualMachine) bool {
	return slices.ContainsFunc(kvvm.Status.StateChangeRequests, func(r kubevirtv1.VirtualMachineStateChangeRequest) bool {
		return r.Action == kubevirtv1.StartRequest
	})
}

// withdrawRequests takes back the requests that the cache knows. Others that have
// come since are an error, and looked at the next time.
func withdrawRequests(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine) error {
	const path = "/status/stateChangeRequests"
	return patchStatus(ctx, c, kvvm, []operation{
		{Op: "test", Path: path, Value: kvvm.Status.StateChangeRequests}, {Op: "remove", Path: path},
	})
}

func stopAndStart(kvvmi *kubevirtv1.VirtualMachineInstance) requests {
	return requests{{Action: kubevirtv1.StopRequest, UID: &kvvmi.UID}, {Action: kubevirtv1.StartRequest}}
}

func patchRequests(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine, wanted requests, forgetFailure bool) error {
	patch := []operation{{Op: "add", Path: "/status/stateChangeRequests", Value: wanted}}
	if equality.Semantic.DeepEqual(kvvm.Status, kubevirtv1.VirtualMachineStatus{}) {
		// Nothing can be added to a status that is not there yet.
		patch[0] = operation{Op: "add", Path: "/status", Value: map[string]requests{"stateChangeRequests": wanted}}
	}
	if forgetFailure {
		patch = append(patch, operation{Op: "remove", Path: "/status/startFailure"})
	}
	return patchStatus(ctx, c, kvvm, patch)
}

func patchStatus(ctx context.Context, c client.Client, kvvm *kubevirtv1.VirtualMachine, patch []operation) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	if err := c.Status().Patch(ctx, kvvm.DeepCopy(), client.RawPatch(apitypes.JSONPatchType, text)); err != nil {
		return fmt.Errorf("request a change of the VM's state: %w", err)
	}
	return nil
}
