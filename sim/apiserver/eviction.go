package apiserver

import (
	"errors"
	"fmt"
	"maps"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Evict deletes a pod as pods/eviction does: unless a PodDisruptionBudget that
// selects the pod has no disruption left, which is a 429. One that it takes is
// subtracted from the budget's status. Pods that do not run need no budget.
func (s *Server) Evict(pod engine.Ref, opts metav1.DeleteOptions) error {
	res, err := s.kind("Pod")
	if err != nil {
		return err
	}
	o := s.store(res).get(pod.Key())
	if o == nil {
		return notFound(res, pod.Name)
	}
	dryRun := len(opts.DryRun) > 0
	if guarded(o) {
		if err := s.spendBudget(o, dryRun); err != nil {
			return err
		}
	}
	if err := checkDeletePreconditions(o, opts.Preconditions); err != nil {
		return err
	}
	if !dryRun {
		s.markDisrupted(o)
	}
	opts.Preconditions = nil // checked, and the mark was a write
	_, _, err = s.delete(res, pod, opts)
	return err
}

// guarded says that budgets count for a pod.
func guarded(o *Object) bool {
	switch text(child(o.content, "status"), "phase") {
	case "Succeeded", "Failed", "Pending":
		return false
	}
	return o.meta()["deletionTimestamp"] == nil
}

// markDisrupted tells why the pod ends, for whoever watches it.
func (s *Server) markDisrupted(o *Object) *Object {
	status := s.withCondition(child(o.content, "status"), string(corev1.DisruptionTarget), "True")
	conditions, _ := status["conditions"].([]any)
	for i, c := range conditions {
		condition, _ := c.(map[string]any)
		if text(condition, "type") == string(corev1.DisruptionTarget) {
			condition = with(condition, "reason", "EvictionByEvictionAPI")
			condition["message"] = "Eviction API: evicting"
			conditions[i] = condition
		}
	}
	next := with(o.content, "status", status)
	next["metadata"] = maps.Clone(o.meta())
	if equal(next, o.content, true) {
		return o
	}
	return s.write(o.res, o, next)
}

// spendBudget takes one disruption from the budget that selects a pod.
func (s *Server) spendBudget(pod *Object, dryRun bool) error {
	budgets := s.budgetsOf(pod)
	if len(budgets) == 0 {
		return nil
	}
	if len(budgets) > 1 {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		}}
	}
	budget := As[policyv1.PodDisruptionBudget](budgets[0])
	if !ready(pod) && letsUnhealthyGo(budget) {
		return nil
	}
	if err := checkBudget(budget); err != nil {
		return err
	}
	if dryRun {
		return nil
	}
	spent := budget.DeepCopy()
	spent.Status.DisruptionsAllowed--
	if spent.Status.DisruptedPods == nil {
		spent.Status.DisruptedPods = map[string]metav1.Time{}
	}
	spent.Status.DisruptedPods[pod.ref.Name] = metav1.NewTime(s.clock.Wall())
	if spent.Status.DisruptionsAllowed == 0 {
		meta.SetStatusCondition(&spent.Status.Conditions, metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason,
			ObservedGeneration: spent.Status.ObservedGeneration, LastTransitionTime: metav1.NewTime(s.clock.Wall()),
		})
	}
	content := ToContent(spent)
	_, err := s.update(budgets[0], content, write{subresource: "status", put: true, manager: "kube-apiserver"})
	return err
}

func (s *Server) budgetsOf(pod *Object) []*Object {
	var all []*Object
	podLabels := labelView(child(pod.meta(), "labels"))
	for _, o := range s.List("PodDisruptionBudget", pod.ref.Namespace) {
		selector, err := metav1.LabelSelectorAsSelector(As[policyv1.PodDisruptionBudget](o).Spec.Selector)
		if err == nil && selector.Matches(labels.Labels(podLabels)) {
			all = append(all, o)
		}
	}
	return all
}

func ready(pod *Object) bool {
	conditions, _ := child(pod.content, "status")["conditions"].([]any)
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if text(condition, "type") == "Ready" {
			return text(condition, "status") == "True"
		}
	}
	return false
}

// letsUnhealthyGo says that a pod that is not ready needs no disruption.
func letsUnhealthyGo(b *policyv1.PodDisruptionBudget) bool {
	if p := b.Spec.UnhealthyPodEvictionPolicy; p != nil && *p == policyv1.AlwaysAllow {
		return true
	}
	return b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

func checkBudget(b *policyv1.PodDisruptionBudget) error {
	switch {
	case b.Status.ObservedGeneration < b.Generation:
		return overBudget(10, fmt.Sprintf("The disruption budget %s is still being processed by the server.", b.Name))
	case b.Status.DisruptionsAllowed < 0:
		err := apierrors.NewForbidden(schema.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}, b.Name,
			errors.New("pdb disruptions allowed is negative"))
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause,
			Message: fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: pdb disruptions allowed is negative", b.Name)})
		return err
	case b.Status.DisruptionsAllowed > 0:
		return nil
	}
	return overBudget(0, whyNone(b))
}

// whyNone words why no disruption is left, as kube-apiserver does.
func whyNone(b *policyv1.PodDisruptionBudget) string {
	condition := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	explained := condition != nil && condition.Status == metav1.ConditionFalse && condition.Message != ""
	switch {
	case explained && condition.Reason == policyv1.SyncFailedReason:
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", b.Name, condition.Message)
	case b.Status.CurrentHealthy <= b.Status.DesiredHealthy:
		return fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", b.Name, b.Status.DesiredHealthy, b.Status.CurrentHealthy)
	case explained:
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently (%s): %s", b.Name, condition.Reason, condition.Message)
	}
	return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", b.Name)
}

func overBudget(retryAfter int, cause string) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfter)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
	return err
}

// serveEviction answers POST pods/x/eviction.
func (s *Server) serveEviction(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	content, err := decodeBody(evictionKind, r.Header["Content-Type"], r.Body)
	if err != nil {
		return nil, err
	}
	var eviction policyv1.Eviction
	if err := utiljson.Unmarshal(AppendJSON(nil, content), &eviction); err != nil {
		return nil, badRequest("error decoding the Eviction: %v", err)
	}
	if eviction.Name != to.name {
		return nil, badRequest("name in URL does not match name in Eviction object")
	}
	var opts metav1.DeleteOptions
	if eviction.DeleteOptions != nil {
		opts = *eviction.DeleteOptions
	}
	if q.dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	if err := s.Evict(to.ref(), opts); err != nil {
		return nil, err
	}
	response := answer(http.StatusCreated, encodeStatus(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Code:     http.StatusCreated,
	}))
	response.Version = s.version
	return response, nil
}

// evictionKind decodes the bodies of evictions; they are stored nowhere.
var evictionKind = newResource(Resource{Group: "policy", Version: "v1", Kind: "Eviction", Plural: "evictions", Namespaced: true}, 0)
