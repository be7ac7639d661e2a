package mutants

import "slices"

// Machines are the mutants of the controller of machines.
func Machines() Subject {
	return Subject{
		Folder: "sim/controllers/kvvm", Package: "kvvm", Variant: "level", Budget: 100,
		Stories: []string{
			"scenarios/kvvm/node-selector-edited-after.yaml",
			"scenarios/kvvm/r5-node-matches-the-old-rule.yaml",
			"scenarios/kvvm/recreate-under-manual.yaml",
		},
		Mutants: slices.Concat(passes(), predicates(), replacements(), powers()),
	}
}

// late is a mutant that only a failing request brings to light.
func late(m Mutant) Mutant {
	m.Budget = 1000
	return m
}

// survives is a mutant that nothing brings to light, for a reason.
func survives(m Mutant, why string) Mutant {
	m.Survives = why
	return m
}

// passes are bugs in how a pass ends.
func passes() []Mutant {
	const file, failed = "reconciler.go", "	if failed != nil {\n"
	return []Mutant{
		late(before("pass-error-swallowed", file, failed, "	if failed != nil && MUTANT {\n		return reconcile.Result{}, nil\n	}\n")),
		before("pass-retried-at-once", file, failed, "	if failed != nil && MUTANT {\n		return reconcile.Result{RequeueAfter: conflictRetry}, nil\n	}\n"),
		{Name: "conflict-retried-at-once", File: file, Old: "IsConflict(err) && !r.variant.level()", New: "IsConflict(err) && (MUTANT || !r.variant.level())"},
		before("pass-never-rests", file, "	return result, nil\n", "	if MUTANT {\n		return reconcile.Result{RequeueAfter: conflictRetry}, nil\n	}\n"),
		before("status-from-the-old-object", file, "		if err := r.client.Status().Update(ctx, s.changed); err != nil {\n",
			"		if MUTANT {\n			s.changed.ResourceVersion = \"1\"\n		}\n"),
	}
}

// predicates are bugs in which events wake what.
func predicates() []Mutant {
	const file = "watches.go"
	return []Mutant{
		before("machine-status-unseen", file, "	x, y := kvvmCondition(a", "	if MUTANT {\n		return false\n	}\n"),
		survives(before("instance-updates-unseen", file, "	return !equality.Semantic.DeepEqual(a.Status, b.Status) ||", "	if MUTANT {\n		return false\n	}\n"),
			"what changes in the instance soon shows in the printable status of its machine, which wakes too"),
		{Name: "waiting-pod-unseen", File: file, Old: "v.level() && podWaited(a)", New: "v.level() && podWaited(a) && !(MUTANT)"},
		before("pod-wakes-its-own-name", file, "		name, ok := pod.Labels[labelVMName]\n		if !ok {\n", "		if MUTANT {\n			pod = pod.DeepCopy()\n			pod.Labels[labelVMName] = pod.Name\n		}\n"),
		before("instance-wakes-its-uid", file, "		return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(kvvmi)}}\n",
			"		if MUTANT {\n			return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: kvvmi.Namespace, Name: string(kvvmi.UID)}}}\n		}\n"),
	}
}

// replacements are bugs in how an outdated pod is replaced.
func replacements() []Mutant {
	const file = "level.go"
	return []Mutant{
		{Name: "only-at-the-edge", File: file, Old: "	if err != nil || len(stale) == 0 {\n", New: "	if err != nil || len(stale) == 0 || MUTANT && p.changes.empty() {\n"},
		survives(before("deletion-error-swallowed", file, "		case err != nil:\n			return true, fmt.Errorf(\"delete pod", "		case err != nil && MUTANT:\n			return true, nil\n"),
			"the mark that the KVVM got before wakes the machine again"),
		{Name: "no-preconditions", File: file, Old: "		err := h.client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID, ResourceVersion: ptr.To(pod.ResourceVersion)})\n",
			New: "		var only client.Preconditions\n		if !(MUTANT) {\n			only = client.Preconditions{UID: &pod.UID, ResourceVersion: ptr.To(pod.ResourceVersion)}\n		}\n		err := h.client.Delete(ctx, pod, only)\n"},
		survives(before("no-replacement-asked", file, "	return true, requestReplacement(", "	if MUTANT {\n		return true, nil\n	}\n"),
			"without its pod the instance fails, and the power state handler replaces those that never had a node"),
		{Name: "not-scheduled-is-scheduled", File: file, Old: "			return c.Status == corev1.ConditionFalse\n", New: "			return c.Status == corev1.ConditionFalse != (MUTANT)\n"},
		{Name: "selector-by-keys", File: "fits.go", Old: "!ok || have != value", New: "!ok || have != value && !(MUTANT)"},
	}
}

// powers are bugs in how machines are started, stopped and kept.
func powers() []Mutant {
	return []Mutant{
		{Name: "stops-any-instance", File: "powerrequests.go", Old: "Action: kubevirtv1.StopRequest, UID: &kvvmi.UID}", New: "Action: kubevirtv1.StopRequest, UID: map[bool]*apitypes.UID{false: &kvvmi.UID}[MUTANT]}"},
		{Name: "stops-without-a-start", File: "powerrequests.go", Old: "	return requests{{Action: kubevirtv1.StopRequest,", New: "	if MUTANT {\n		return requests{{Action: kubevirtv1.StopRequest, UID: &kvvmi.UID}}\n	}\n	return requests{{Action: kubevirtv1.StopRequest,"},
		survives(before("start-while-restarting", "powerstate.go", "		case x.restarting():\n", "		case x.restarting() && MUTANT:\n			return start\n"),
			"a start that meets other requests is refused, and comes back with back-off"),
		{Name: "pod-is-kept", File: "pods.go", Old: "s.deleting() || podIsFinal(&all[i])", New: "s.deleting() || podIsFinal(&all[i]) && !(MUTANT)"},
		{Name: "reads-its-own-writes", File: "synckvvm.go", Old: "		return true, h.create(ctx, p)\n", New: "		if err := h.create(ctx, p); err != nil || !(MUTANT) {\n			return true, err\n		}\n		kvvm, err := p.state.kvvm(ctx)\n		return kvvm.Name == p.current.Name, err\n"},
	}
}
