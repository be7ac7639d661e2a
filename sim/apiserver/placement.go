package apiserver

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	v1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// placementFields are the fields of a pod's spec that checkPlacement reads as Go types.
var placementFields = []string{"affinity", "tolerations", "topologySpreadConstraints"}

// checkPlacement refuses a new pod whose rules of placement mean nothing to a
// scheduler, as kube-apiserver's ValidatePodSpec does: the node selector, the
// required node affinity, tolerations and topology spread constraints. What CRDs
// copy of these types lets all of it through, so it is here that a user's mistake
// comes out.
func (r *resource) checkPlacement(object map[string]any) field.ErrorList {
	if !r.graceful {
		return nil
	}
	spec, path := child(object, "spec"), field.NewPath("spec")
	errs := checkNodeSelector(child(spec, "nodeSelector"), path.Child("nodeSelector"))
	some := map[string]any{}
	for _, key := range placementFields {
		if spec[key] != nil {
			some[key] = spec[key]
		}
	}
	if len(some) == 0 {
		return errs
	}
	var typed corev1.PodSpec
	if runtime.DefaultUnstructuredConverter.FromUnstructured(some, &typed) != nil {
		return errs // the types are refused elsewhere
	}
	if a := typed.Affinity; a != nil && a.NodeAffinity != nil {
		errs = append(errs, checkNodeAffinity(a.NodeAffinity, path.Child("affinity", "nodeAffinity"))...)
	}
	for i, t := range typed.Tolerations {
		errs = append(errs, checkToleration(t, path.Child("tolerations").Index(i))...)
	}
	for i, c := range typed.TopologySpreadConstraints {
		errs = append(errs, checkSpread(c, path.Child("topologySpreadConstraints").Index(i))...)
	}
	return errs
}

func checkNodeSelector(selector map[string]any, path *field.Path) field.ErrorList {
	labels := make(map[string]string, len(selector))
	for key, value := range selector {
		labels[key], _ = value.(string)
	}
	return v1validation.ValidateLabels(labels, path)
}

func checkNodeAffinity(a *corev1.NodeAffinity, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s := a.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
		path := path.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
		if len(s.NodeSelectorTerms) == 0 {
			errs = append(errs, field.Required(path, "must have at least one node selector term"))
		}
		for i, t := range s.NodeSelectorTerms {
			errs = append(errs, checkTerm(t, path.Index(i))...)
		}
	}
	for i, p := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		path := path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		if p.Weight <= 0 || p.Weight > 100 {
			errs = append(errs, field.Invalid(path.Child("weight"), p.Weight, "must be in the range 1-100"))
		}
		errs = append(errs, checkTerm(p.Preference, path.Child("preference"))...)
	}
	return errs
}

func checkTerm(t corev1.NodeSelectorTerm, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, e := range t.MatchExpressions {
		path := path.Child("matchExpressions").Index(i)
		errs = append(errs, checkRequirement(e, path)...)
		errs = append(errs, v1validation.ValidateLabelName(e.Key, path.Child("key"))...)
	}
	return errs
}

func checkRequirement(e corev1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	values := path.Child("values")
	switch e.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(e.Values) == 0 {
			return field.ErrorList{field.Required(values, "must be specified when `operator` is 'In' or 'NotIn'")}
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(e.Values) > 0 {
			return field.ErrorList{field.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")}
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(e.Values) != 1 {
			return field.ErrorList{field.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")}
		}
	default:
		return field.ErrorList{field.Invalid(path.Child("operator"), e.Operator, "not a valid selector operator")}
	}
	return nil
}

func checkToleration(t corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Key != "" {
		errs = append(errs, v1validation.ValidateLabelName(t.Key, path.Child("key"))...)
	}
	operator := path.Child("operator")
	if t.Key == "" && t.Operator != corev1.TolerationOpExists {
		errs = append(errs, field.Invalid(operator, t.Operator,
			"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Invalid(path.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		if problems := validation.IsValidLabelValue(t.Value); len(problems) > 0 {
			errs = append(errs, field.Invalid(operator, t.Value, problems[0]))
		}
	case corev1.TolerationOpExists:
		if t.Value != "" {
			errs = append(errs, field.Invalid(operator, t.Value, "value must be empty when `operator` is 'Exists'"))
		}
	default:
		errs = append(errs, field.NotSupported(operator, t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	if t.Effect != "" && !slices.Contains(effects, t.Effect) {
		errs = append(errs, field.NotSupported(path.Child("effect"), t.Effect, effects))
	}
	return errs
}

func checkSpread(c corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.MaxSkew <= 0 {
		errs = append(errs, field.Invalid(path.Child("maxSkew"), c.MaxSkew, "must be greater than zero"))
	}
	if c.TopologyKey == "" {
		errs = append(errs, field.Required(path.Child("topologyKey"), "can not be empty"))
	}
	actions := []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}
	if !slices.Contains(actions, c.WhenUnsatisfiable) {
		errs = append(errs, field.NotSupported(path.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, actions))
	}
	return errs
}
