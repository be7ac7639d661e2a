package mutants

import "slices"

// Migrations are the mutants of the controller of migrations.
func Migrations() Subject {
	return Subject{
		Folder: "sim/controllers/vmim", Package: "vmim", Variant: "wake", Budget: 500,
		Stories: []string{
			"scenarios/vmim/live-migration.yaml",
			"scenarios/vmim/two-migrations.yaml",
			"scenarios/vmim/network-without-readiness-gate.yaml",
		},
		Mutants: slices.Concat(queues(), events(), reads(), ports()),
	}
}

// queues are bugs in how keys go through the queues.
func queues() []Mutant {
	const file, failed, ok = "queue.go", "	case err != nil:\n		q.AddRateLimited(key)\n", "	default:\n		q.Forget(key)\n"
	never := before("never-forgets", file, ok, "	case MUTANT:\n")
	never.Survives = "a key fails only a few times between two events that forget it, so its back-off stays short"
	return []Mutant{
		before("lost-requeue", file, failed, "	case err != nil && MUTANT:\n		q.Forget(key)\n"),
		before("retry-at-once", file, failed, "	case err != nil && MUTANT:\n		q.Add(key)\n"),
		before("retry-of-wrong-key", file, failed, "	case err != nil && MUTANT:\n		q.AddRateLimited(key + \"-0\")\n"),
		before("retry-after-minutes", file, failed, "	case err != nil && MUTANT:\n		q.AddAfter(key, 5*time.Minute)\n"),
		before("requeues-after-success", file, ok, "	case MUTANT:\n		q.Add(key)\n"),
		never,
		{Name: "never-done", File: file, Old: "	defer q.Done(key)\n", New: "	if !(MUTANT) {\n		defer q.Done(key)\n	}\n"},
		before("leaks-a-goroutine", file, "	err := handle(ctx, key)\n", "	if MUTANT {\n		go func() { select {} }()\n	}\n"),
	}
}

// events are bugs in which events wake what.
func events() []Mutant {
	return []Mutant{
		before("updates-unseen", "informers.go", "	if m.DeletionTimestamp != nil || m.Status.Phase", "	if MUTANT {\n		return\n	}\n"),
		before("end-unseen", "informers.go", "	if m.DeletionTimestamp != nil || m.Status.Phase", "	if MUTANT && m.IsFinal() {\n		return\n	}\n"),
		before("target-ready-only", "informers.go", "	if m.DeletionTimestamp != nil || m.Status.Phase",
			"	if MUTANT && m.Status.Phase == kubevirtv1.MigrationScheduling {\n		return\n	}\n"),
		before("pod-updates-unseen", "wake.go", "	if factsOf(old) == factsOf(pod) {\n", "	if MUTANT {\n		return\n	}\n"),
		{Name: "node-is-no-fact", File: "wake.go", Old: "	if factsOf(old) == factsOf(pod) {\n",
			New: "	if MUTANT && old.Spec.NodeName != pod.Spec.NodeName {\n		return\n	}\n	if factsOf(old) == factsOf(pod) {\n"},
		{Name: "pod-by-its-own-uid", File: "wake.go", Old: "	pod, ok := obj.(*corev1.Pod)\n	if !ok {\n		return\n	}\n	for _, m := range",
			New: "	pod, ok := obj.(*corev1.Pod)\n	if !ok || MUTANT && len(indexed[*kubevirtv1.VirtualMachineInstanceMigration](c.migrations, byUID, string(pod.UID))) == 0 {\n		return\n	}\n	for _, m := range"},
		before("wakes-with-back-off", "wake.go", "	c.migrationQueue.Forget(key)\n", "	if MUTANT {\n		c.migrationQueue.AddRateLimited(key)\n		return\n	}\n"),
		before("wakes-later", "wake.go", "	c.migrationQueue.Forget(key)\n", "	if MUTANT {\n		c.migrationQueue.AddAfter(key, 30*crdPeriod)\n		return\n	}\n"),
		before("discovers-once", "controller.go", "		select {\n		case <-ctx.Done():\n			return ctx.Err()\n		case <-ticker.C:\n",
			"		if MUTANT {\n			return errors.New(\"no migrations\")\n		}\n"),
		before("discovers-too-rarely", "controller.go", "		select {\n		case <-ctx.Done():\n			return ctx.Err()\n		case <-ticker.C:\n",
			"		if MUTANT {\n			time.Sleep(10 * time.Minute)\n		}\n"),
	}
}

// reads are bugs in what is read and how failures of reading are taken.
func reads() []Mutant {
	anything := before("any-vmi-error-is-absence", "settle.go", "	if gone(err) {\n		return nil, nil\n	}\n", "	if err != nil && MUTANT {\n		return nil, nil\n	}\n")
	anything.Survives = "without the VMI the source is not known, which is retried, or options are removed instead of reset, which is right too"
	dropped := before("unknown-node-dropped", "settle.go", "		return errors.New(missing)\n", "		if MUTANT {\n			c.drop(m, missing)\n			return nil\n		}\n")
	dropped.Survives = "the pod's own events bring the key back, and the machine of these stories has its node from the start"
	return []Mutant{
		before("read-error-swallowed", "settle.go", "	if err != nil {\n		return err\n	}\n	if err := c.takeTurn(ctx)", "	if err != nil && MUTANT {\n		return nil\n	}\n"),
		before("any-error-is-absence", "settle.go", "	if gone(err) {\n		c.log.Info(\"the migration does", "	if err != nil && MUTANT {\n		return nil\n	}\n"),
		anything,
		dropped,
		before("scheduling-only", "settle.go", "	return c.settleUnfinished(ctx, m, vmi)\n}",
			"	if MUTANT && m.Status.Phase != kubevirtv1.MigrationScheduling {\n		c.drop(m, \"not scheduling\")\n		return nil\n	}\n"),
		before("state-of-other-migration", "route.go", "		if state := vmi.Status.MigrationState; owns(m, state)",
			"		if state := vmi.Status.MigrationState; state != nil && MUTANT {\n			r.source = state.SourceNode\n		}\n"),
		before("any-pod", "settle.go", "	var best *corev1.Pod\n",
			"	if MUTANT {\n		for _, pod := range indexed[*corev1.Pod](c.pods, byVM, vmOfMigration(m)) {\n			if !ended(pod) && migrationUID(pod) == \"\" {\n				return pod\n			}\n		}\n	}\n"),
		before("first-pod-of-none", "settle.go", "	var best *corev1.Pod\n", "	if MUTANT {\n		return c.migrationPods(m)[0]\n	}\n"),
		before("failed-is-not-final", "settle.go", "	if m.IsFinal() {\n		return c.settleEnded",
			"	if MUTANT && m.Status.Phase == kubevirtv1.MigrationFailed {\n		return nil\n	}\n"),
		{Name: "turn-is-kept", File: "settle.go", Old: "func (c *Controller) endTurn() { <-c.turn }",
			New: "func (c *Controller) endTurn() {\n	if !(MUTANT) {\n		<-c.turn\n	}\n}"},
	}
}

// ports are bugs in what is written.
func ports() []Mutant {
	asleep := before("others-stay-asleep", "wake.go", "	c.wakeUnfinished(vmOfMigration(m))\n", "	if MUTANT {\n		return\n	}\n")
	asleep.Survives = "in these stories a migration that waits for another has an event of its own when that ends"
	return []Mutant{
		before("swapped-nodes", "handler.go", "		return c.ovn.SetMigrateOptions(ctx, port, r.source, r.target)\n",
			"		if MUTANT {\n			return c.ovn.SetMigrateOptions(ctx, port, r.target, r.source)\n		}\n"),
		before("write-error-swallowed", "ovn.go", "		if err := write(port.Name); err != nil {\n",
			"		if MUTANT {\n			_ = write(port.Name)\n			continue\n		}\n"),
		before("one-attempt-a-port", "handler.go", "		return c.ovn.SetMigrateOptions(ctx, port, r.source, r.target)\n",
			"		if MUTANT {\n			if c.migrationQueue.NumRequeues(nameOf(m)) > 0 {\n				return nil\n			}\n		}\n"),
		{Name: "right-is-wrong", File: "ovn.go", Old: "		if right(port) {\n", New: "		if right(port) != (MUTANT) {\n"},
		before("any-options-are-right", "ovn.go", "	return p.Options[RequestedChassis] == source+\",\"+target",
			"	if MUTANT {\n		return p.Options[RequestedChassis] != \"\"\n	}\n"),
		before("prefix-is-right", "ovn.go", "	return !set || requested == chassis && !strategy\n",
			"	if MUTANT {\n		return !set || requested[:len(chassis)] == chassis\n	}\n"),
		before("released-to-the-source", "settle.go", "	right, write := LogicalSwitchPort.clean, c.ovn.CleanMigrateOptions\n",
			"	if MUTANT && node != \"\" {\n		node = \"node-a\"\n	}\n"),
		before("released-to-the-target", "settle.go", "	vm := vmOfMigration(m)\n	if owner := c.owner(vm, vmi, m); owner != nil {\n",
			"	if target := c.targetPod(m); MUTANT && target != nil {\n		return c.release(ctx, vmOfMigration(m), target.Spec.NodeName)\n	}\n"),
		before("ended-takes-from-others", "settle.go", "	vm := vmOfMigration(m)\n	if owner := c.owner(vm, vmi, m); owner != nil {\n",
			"	if MUTANT {\n		return c.release(ctx, vmOfMigration(m), nodeOf(vmi))\n	}\n"),
		before("pod-deletion-takes-all", "settle.go", "	// Setting up is left to the migration's own handler, which reads it live: the\n",
			"	if MUTANT {\n		return c.release(ctx, vm, nodeOf(vmi))\n	}\n"),
		asleep,
	}
}
