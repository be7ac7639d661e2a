package conformance

import (
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const podYAML = `{apiVersion: v1, kind: Pod, metadata: {name: %s, labels: {app: x}}, spec: {containers: [{name: c, image: "example.com/c:1"}]}}`

const vmimYAML = `{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstanceMigration, metadata: {name: %s, finalizers: [example.com/hold]}, spec: {vmiName: vm}}`

func (t *trial) pods() dynamic.ResourceInterface       { return t.resource("v1", "Pod") }
func (t *trial) configMaps() dynamic.ResourceInterface { return t.resource("v1", "ConfigMap") }

func (t *trial) configMap(name string) {
	t.tb.Helper()
	t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, labels: {app: x}}, data: {a: "1"}}`, name)
}

func (t *trial) patch(r dynamic.ResourceInterface, name string, pt types.PatchType, data string, subresources ...string) {
	_, err := r.Patch(t.ctx, name, pt, []byte(t.text("%s", data)), patchOptions, subresources...)
	if err != nil {
		t.note("reason", apierrors.ReasonForError(err))
	}
}

// namedCases are told of one thing each, most of them of a way in which a naive
// fake misleads a controller's author.
var namedCases = []testCase{
	{name: "O-38 generation rises with the first deletion", run: func(t *trial) {
		o := t.create(vmimYAML, "m")
		r := t.resourceOf(o)
		_ = r.Delete(t.ctx, "m", metav1.DeleteOptions{})
		_, _ = r.Get(t.ctx, "m", metav1.GetOptions{})
		_ = r.Delete(t.ctx, "m", metav1.DeleteOptions{}) // the second does not count
		_, _ = r.Get(t.ctx, "m", metav1.GetOptions{})
	}},
	{name: "O-12 no new finalizers while terminating", run: func(t *trial) {
		o := t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, finalizers: [example.com/a, example.com/b]}}`)
		r := t.resourceOf(o)
		_ = r.Delete(t.ctx, "c", metav1.DeleteOptions{})
		t.patch(r, "c", types.MergePatchType, `{"metadata":{"finalizers":["example.com/b"]}}`)
		t.patch(r, "c", types.MergePatchType, `{"metadata":{"finalizers":["example.com/a"]}}`)
		t.patch(r, "c", types.JSONPatchType, `[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/c"}]`)
		t.patch(r, "c", types.JSONPatchType, `[{"op":"remove","path":"/metadata/finalizers"}]`)
		_, _ = r.Get(t.ctx, "c", metav1.GetOptions{})
	}},
	{name: "VMI has no status subresource", run: func(t *trial) {
		o := t.create(`{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: v}, spec: {domain: {devices: {}}}}`)
		r := t.resourceOf(o)
		_, err := r.UpdateStatus(t.ctx, o, updateOptions)
		t.noteError("status", err)
		t.patch(r, "v", types.MergePatchType, `{"status":{"phase":"Running"}}`)
		t.patch(r, "v", types.MergePatchType, `{"status":{"nodeName":"a"}}`)
	}},
	{name: "VMIM isolates its status", run: func(t *trial) {
		o := t.create(vmimYAML, "m")
		r := t.resourceOf(o)
		t.patch(r, "m", types.MergePatchType, `{"status":{"phase":"Running"},"spec":{"priority":"a"}}`)
		t.patch(r, "m", types.MergePatchType, `{"status":{"phase":"Running"},"spec":{"priority":"b"},"metadata":{"labels":{"a":"b"}}}`, "status")
	}},
	{name: "list, delete, then watch", run: func(t *trial) {
		t.configMap("a")
		t.configMap("b")
		list := need(t.configMaps().List(t.ctx, metav1.ListOptions{LabelSelector: "app=x"}))(t)
		t.ok(t.configMaps().Delete(t.ctx, "a", metav1.DeleteOptions{}))
		t.follow(t.configMaps(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), LabelSelector: "app=x"})(1)
	}},
	{name: "watch from the past", run: func(t *trial) {
		o := t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: x}}}`)
		t.patch(t.configMaps(), "a", types.MergePatchType, `{"data":{"a":"2"}}`)
		t.patch(t.configMaps(), "a", types.MergePatchType, `{"data":{"a":"3"}}`)
		t.follow(t.configMaps(), metav1.ListOptions{ResourceVersion: o.GetResourceVersion()})(2)
	}},
	{name: "watch from now", run: func(t *trial) {
		t.configMap("a")
		next := t.follow(t.configMaps(), metav1.ListOptions{LabelSelector: "app=x"})
		next(1)
		t.configMap("b")
		next(1)
		t.patch(t.configMaps(), "a", types.MergePatchType, `{"metadata":{"labels":{"app":"y"}}}`)
		next(1) // it no longer matches
		t.patch(t.configMaps(), "a", types.MergePatchType, `{"metadata":{"labels":{"app":"x"}}}`)
		next(1) // and does again
		t.ok(t.configMaps().Delete(t.ctx, "a", metav1.DeleteOptions{}))
		next(1)
	}},
	{name: "watch of a field selector", run: func(t *trial) {
		t.create(podYAML, "p")
		next := t.follow(t.pods(), metav1.ListOptions{FieldSelector: "spec.nodeName=", ResourceVersion: "0"})
		next(1)
		t.raw(http.MethodPost, "/api/v1/namespaces/NS/pods/p/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}`, "Content-Type", "application/json")
		next(1)
	}},
	{name: "WatchList ends its initial events", run: func(t *trial) {
		t.configMap("a")
		next := t.follow(t.configMaps(), metav1.ListOptions{SendInitialEvents: new(true), AllowWatchBookmarks: true,
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, LabelSelector: "app=x"})
		next(2)
	}},
	{name: "410 of a watch from before the history", run: func(t *trial) {
		t.create(vmimYAML, "m")
		t.server.compact("VirtualMachineInstanceMigration")
		t.follow(t.resource("kubevirt.io/v1", "VirtualMachineInstanceMigration"), metav1.ListOptions{ResourceVersion: "1"})(1)
	}},
	{name: "410 of a continued list", run: func(t *trial) {
		for i := range 3 {
			t.configMap(fmt.Sprint("a", i))
		}
		page := need(t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 2}))(t)
		t.note("there is more", page.GetContinue() != "")
		_, _ = t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 2, Continue: page.GetContinue()})
		t.configMap("later") // the state of the first page is history now
		t.server.compact("ConfigMap")
		_, err := t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 2, Continue: page.GetContinue()})
		if !apierrors.IsResourceExpired(err) {
			t.tb.Errorf("%s: a list goes on from a forgotten state: want 410 Expired, found %v", t.server.name, err)
			return
		}
		rest := err.(apierrors.APIStatus).Status().Continue
		_, _ = t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 1, Continue: rest}) // recorded
		_, err = t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 2, Continue: "nonsense"})
		t.noteError("nonsense", err)
	}},
	{name: "tombstones after a relist", run: relist},
	{name: "paging with remainingItemCount", run: func(t *trial) {
		for i := range 5 {
			t.configMap(fmt.Sprint("a", i))
		}
		page := need(t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 2}))(t)
		t.note("remaining", *page.GetRemainingItemCount())
		page = need(t.configMaps().List(t.ctx, metav1.ListOptions{Limit: 2, LabelSelector: "app=x"}))(t)
		t.note("remaining is not said", page.GetRemainingItemCount() == nil)
	}},
	{name: "list of an exact past version", run: func(t *trial) {
		o := t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: x}}}`)
		t.configMap("b")
		_, _ = t.configMaps().List(t.ctx, metav1.ListOptions{ResourceVersion: o.GetResourceVersion(), ResourceVersionMatch: metav1.ResourceVersionMatchExact, LabelSelector: "app=x"})
	}},
	{name: "list of a future version", run: func(t *trial) {
		t.raw(http.MethodGet, "/api/v1/namespaces/NS/configmaps?resourceVersion=9000000&resourceVersionMatch=NotOlderThan", "")
	}},
	{name: "options that contradict each other", run: func(t *trial) {
		for _, query := range []string{"resourceVersionMatch=Exact", "resourceVersionMatch=Exact&resourceVersion=0",
			"resourceVersionMatch=Some&resourceVersion=1", "watch=1&resourceVersionMatch=Exact&resourceVersion=1",
			"watch=1&sendInitialEvents=true", "sendInitialEvents=true", "resourceVersion=a", "watch=1&resourceVersion=a",
			"labelSelector=a%20b", "fieldSelector=a", "limit=a"} {
			t.raw(http.MethodGet, "/api/v1/namespaces/NS/configmaps?"+query, "")
		}
	}},
	{name: "Update on a stale resourceVersion", run: func(t *trial) {
		o := t.create(podYAML, "p")
		t.patch(t.pods(), "p", types.MergePatchType, `{"metadata":{"labels":{"b":"1"}}}`)
		_, err := t.pods().Update(t.ctx, o, updateOptions)
		t.note("conflict", apierrors.IsConflict(err))
	}},
	{name: "patch that names a stale resourceVersion", run: func(t *trial) {
		t.create(podYAML, "p")
		t.patch(t.pods(), "p", types.MergePatchType, `{"metadata":{"resourceVersion":"1","labels":{"b":"1"}}}`)
	}},
	{name: "JSON patch test that fails", run: func(t *trial) {
		t.configMap("a")
		t.patch(t.configMaps(), "a", types.JSONPatchType, `[{"op":"test","path":"/data/a","value":"2"},{"op":"replace","path":"/data/a","value":"3"}]`)
		_, _ = t.configMaps().Get(t.ctx, "a", metav1.GetOptions{})
	}},
	{name: "JSON patch operations", run: func(t *trial) {
		t.configMap("a")
		for _, patch := range []string{
			`[{"op":"test","path":"/data/a","value":"1"},{"op":"replace","path":"/data/a","value":"3"}]`,
			`[{"op":"copy","from":"/data/a","path":"/data/b"},{"op":"move","from":"/data/a","path":"/data/c"}]`,
			`[{"op":"replace","path":"/data/none","value":"1"}]`,
			`[{"op":"add","path":"/none/none","value":"1"}]`,
			`[{"op":"add","path":"/metadata/annotations","value":{"a~1b":"1"}},{"op":"add","path":"/metadata/annotations/a~1c","value":"2"}]`,
			`[{"op":"nothing","path":"/data/a"}]`,
			`[{"op":"remove","path":"/data/none"}]`,
			`[{"op":"test","path":"/data/none","value":null}]`,
			`{}`, `[`,
		} {
			t.patch(t.configMaps(), "a", types.JSONPatchType, patch)
		}
	}},
	{name: "strategic merge of containers by name", run: func(t *trial) {
		t.create(podYAML, "p")
		t.patch(t.pods(), "p", types.StrategicMergePatchType, `{"spec":{"containers":[{"name":"c","image":"example.com/c:2"}]}}`)
		t.patch(t.pods(), "p", types.StrategicMergePatchType, `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`, "status")
		t.patch(t.pods(), "p", types.StrategicMergePatchType, `{"status":{"conditions":[{"type":"ContainersReady","status":"True"}]}}`, "status")
		t.patch(t.pods(), "p", types.StrategicMergePatchType, `{"status":{"conditions":[{"$patch":"delete","type":"Ready"}]}}`, "status")
		t.patch(t.pods(), "p", types.StrategicMergePatchType, `{"metadata":{"labels":{"$patch":"replace","only":"1"}}}`)
	}},
	{name: "strategic merge of finalizers", run: func(t *trial) {
		t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.com/a]}}`)
		t.patch(t.configMaps(), "a", types.StrategicMergePatchType, `{"metadata":{"finalizers":["example.com/b"]}}`)
		t.patch(t.configMaps(), "a", types.StrategicMergePatchType, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/a"]}}`)
	}},
	{name: "merge patch replaces lists", run: func(t *trial) {
		t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.com/a]}}`)
		t.patch(t.configMaps(), "a", types.MergePatchType, `{"metadata":{"finalizers":["example.com/b"]}}`)
	}},
	{name: "pods may not change their spec", run: func(t *trial) {
		t.create(podYAML, "p")
		for _, patch := range []string{`{"spec":{"nodeName":"n"}}`, `{"spec":{"hostname":"h"}}`, `{"spec":{"nodeSelector":{"a":"b"}}}`,
			`{"spec":{"terminationGracePeriodSeconds":5}}`} {
			t.patch(t.pods(), "p", types.MergePatchType, patch)
		}
	}},
	{name: "pod generation", run: func(t *trial) {
		t.create(podYAML, "p")
		t.patch(t.pods(), "p", types.StrategicMergePatchType, `{"spec":{"containers":[{"name":"c","image":"example.com/c:2"}]}}`)
		t.patch(t.pods(), "p", types.MergePatchType, `{"metadata":{"labels":{"a":"1"}}}`)
		t.patch(t.pods(), "p", types.MergePatchType, `{"status":{"phase":"Running"}}`, "status")
	}},
	{name: "pod that waits for a scheduling gate", run: func(t *trial) {
		t.create(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulingGates: [{name: example.com/g}], containers: [{name: c, image: "example.com/c:1"}]}}`)
		t.bind("p", "n")
		t.patch(t.pods(), "p", types.MergePatchType, `{"spec":{"nodeSelector":{"a":"b"}}}`)
		t.patch(t.pods(), "p", types.MergePatchType, `{"spec":{"schedulingGates":null}}`)
		t.bind("p", "n")
	}},
	{name: "placements that are refused", run: func(t *trial) {
		required := func(terms string) string {
			return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " + terms + "}}}"
		}
		for _, placement := range []string{
			`nodeSelector: {"bad key!!": a}`, `nodeSelector: {a: "-"}`,
			required(`[]`), required(`[{}]`),
			required(`[{matchExpressions: [{key: a, operator: Inn, values: [b]}]}]`),
			required(`[{matchExpressions: [{key: a, operator: In}]}]`),
			required(`[{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]`),
			required(`[{matchExpressions: [{key: a, operator: Gt, values: ["1", "2"]}]}]`),
			required(`[{matchExpressions: [{key: "bad key!!", operator: Exists}]}]`),
			`affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}`,
			`affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: Inn}]}}]}}`,
			`tolerations: [{key: a, operator: Equals}]`, `tolerations: [{operator: Equal, value: a}]`, `tolerations: [{}]`,
			`tolerations: [{key: "bad key!!", operator: Exists}]`, `tolerations: [{key: a, operator: Exists, value: b}]`,
			`tolerations: [{key: a, value: "bad value!!"}]`, `tolerations: [{key: a, operator: Exists, effect: Never}]`,
			`tolerations: [{key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 5}]`,
			`topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]`,
			`topologySpreadConstraints: [{maxSkew: 1, topologyKey: "", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]`,
			`topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: Never, labelSelector: {matchLabels: {app: x}}}]`,
			`nodeSelector: {a: b}`,
		} {
			o := t.object(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "example.com/c:1"}], %s}}`, placement)
			_, err := t.pods().Create(t.ctx, o, createOptions)
			t.noteError(placement, err)
		}
	}},
	{name: "binding", run: func(t *trial) {
		t.create(podYAML, "p")
		t.bind("p", "n")
		_, _ = t.pods().Get(t.ctx, "p", metav1.GetOptions{})
		t.bind("p", "other")
		t.bind("absent", "n")
		t.create(podYAML, "q")
		t.bind("q", "")
	}},
	{name: "graceful deletion of a pod that runs", run: func(t *trial) {
		t.create(podYAML, "p")
		t.bind("p", "n")
		next := t.follow(t.pods(), metav1.ListOptions{ResourceVersion: "0"})
		next(1)
		t.ok(t.pods().Delete(t.ctx, "p", metav1.DeleteOptions{}))
		next(1)
		t.ok(t.pods().Delete(t.ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: new(int64(5))}))
		next(1)
		t.ok(t.pods().Delete(t.ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: new(int64(60))}))
		t.ok(t.pods().Delete(t.ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
		next(2)
	}},
	{name: "deletion of a pod that is not placed", run: func(t *trial) {
		t.create(podYAML, "p")
		next := t.follow(t.pods(), metav1.ListOptions{ResourceVersion: "0"})
		next(1)
		t.ok(t.pods().Delete(t.ctx, "p", metav1.DeleteOptions{}))
		next(2)
	}},
	{name: "deletion of a pod that a finalizer holds", run: func(t *trial) {
		t.create(podYAML, "p")
		t.patch(t.pods(), "p", types.MergePatchType, `{"metadata":{"finalizers":["example.com/a"]}}`)
		t.ok(t.pods().Delete(t.ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
		_, _ = t.pods().Get(t.ctx, "p", metav1.GetOptions{})
		t.patch(t.pods(), "p", types.MergePatchType, `{"metadata":{"finalizers":null}}`)
		_, _ = t.pods().Get(t.ctx, "p", metav1.GetOptions{})
	}},
	{name: "propagation policies", run: func(t *trial) {
		for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, "None"} {
			name := "c-" + strings.ToLower(string(policy))
			t.configMap(name)
			err := t.configMaps().Delete(t.ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
			t.noteError("told", err)
			_, _ = t.configMaps().Get(t.ctx, name, metav1.GetOptions{})
		}
		t.configMap("both")
		t.raw(http.MethodDelete, "/api/v1/namespaces/NS/configmaps/both", `{"kind":"DeleteOptions","apiVersion":"v1","orphanDependents":true,"propagationPolicy":"Foreground"}`, "Content-Type", "application/json")
	}},
	{name: "owner references that are refused", run: func(t *trial) {
		for _, owners := range []string{
			`[{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}, {apiVersion: v1, kind: Pod, name: q, uid: v, controller: true}]`,
			`[{apiVersion: v1, kind: Pod, name: p}]`, `[{apiVersion: v1, name: p, uid: u}]`, `[{apiVersion: v1, kind: Event, name: p, uid: u}]`,
		} {
			o := t.object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: %s}}`, owners)
			_, _ = t.configMaps().Create(t.ctx, o, createOptions)
		}
	}},
	{name: "eviction without a budget", run: func(t *trial) {
		t.create(podYAML, "p")
		t.evict("p")
		t.evict("absent")
		t.running("q")
		t.evict("q")
		_, _ = t.pods().Get(t.ctx, "q", metav1.GetOptions{})
	}},
	{name: "eviction with a budget", run: func(t *trial) {
		t.running("p")
		t.running("q")
		t.budget("b", 1)
		t.evict("p")
		r := t.resource("policy/v1", "PodDisruptionBudget")
		_, _ = r.Get(t.ctx, "b", metav1.GetOptions{})
		t.evict("q")
	}},
	{name: "eviction with a budget that was not looked at", run: func(t *trial) {
		t.running("p")
		t.create(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}}`)
		t.raw(http.MethodPost, "/api/v1/namespaces/NS/pods/p/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}}`, "Content-Type", "application/json")
	}},
	{name: "eviction with two budgets", run: func(t *trial) {
		t.running("p")
		t.budget("b", 1)
		t.budget("c", 1)
		t.evict("p")
	}},
	{name: "eviction of a pod that is not ready", run: func(t *trial) {
		t.create(podYAML, "p")
		t.bind("p", "n")
		t.patch(t.pods(), "p", types.MergePatchType, `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}]}}`, "status")
		t.budget("b", 0)
		t.evict("p")
		t.patch(t.resource("policy/v1", "PodDisruptionBudget"), "b", types.MergePatchType, `{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}`)
		t.evict("p")
	}},
	{name: "quota", run: func(t *trial) {
		t.create(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: "1"}}}`)
		r := t.resource("v1", "ResourceQuota")
		t.patch(r, "q", types.MergePatchType, `{"status":{"hard":{"pods":"1"},"used":{"pods":"1"}}}`, "status")
		o := t.object(podYAML, "p")
		_, err := t.pods().Create(t.ctx, o, createOptions)
		t.noteError("told", err)
	}},
	{name: "unknown group, version, resource and path", run: func(t *trial) {
		for _, path := range []string{"/apis/none.example.com/v1/namespaces/NS/things", "/apis/kubevirt.io/v9/namespaces/NS/virtualmachines",
			"/apis/kubevirt.io/v1/namespaces/NS/things", "/api/v1/namespaces/NS/things", "/api/v1/namespaces/NS/configmaps/a/status",
			"/api/v1/namespaces/NS/pods/p/none", "/apis/kubevirt.io/v1/namespaces/NS/virtualmachines/v/none"} {
			t.raw(http.MethodGet, path, "")
		}
	}},
	{name: "unknown group by a client", run: func(t *trial) {
		r := t.dyn.Resource(policyv1.SchemeGroupVersion.WithResource("things")).Namespace(t.ns)
		_, err := r.Get(t.ctx, "a", metav1.GetOptions{})
		t.noteError("told", err)
	}},
	{name: "methods that are not there", run: func(t *trial) {
		t.configMap("a")
		t.raw(http.MethodPost, "/api/v1/namespaces/NS/configmaps/a", "{}")
		t.raw(http.MethodPut, "/api/v1/namespaces/NS/configmaps", "{}")
	}},
	{name: "bodies that are none", run: func(t *trial) {
		for _, body := range []string{"", "{", "[]", "text", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`,
			`{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"}}`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"other"}}`,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":[]}}`, `{"metadata":{"name":"a"}}`, `{"apiVersion":"v1","kind":"ConfigMap"}`} {
			t.rawCode(http.MethodPost, "/api/v1/namespaces/NS/configmaps", body, "Content-Type", "application/json")
		}
	}},
	{name: "bodies of custom resources that are none", run: func(t *trial) {
		for _, body := range []string{"", "{", "[]", `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstance","metadata":{"name":"a"}}`,
			`{"metadata":{"name":"a"}}`, `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine"}`} {
			t.rawCode(http.MethodPost, "/apis/kubevirt.io/v1/namespaces/NS/virtualmachines", body, "Content-Type", "application/json")
		}
	}},
	{name: "CBOR is not spoken", run: func(t *trial) {
		t.rawCode(http.MethodPost, "/api/v1/namespaces/NS/configmaps", "\xd9\xd9\xf7\xa0", "Content-Type", "application/cbor")
		t.rawCode(http.MethodPost, "/apis/kubevirt.io/v1/namespaces/NS/virtualmachines", "\xd9\xd9\xf7\xa0", "Content-Type", "application/cbor")
		t.rawCode(http.MethodGet, "/api/v1/namespaces/NS/configmaps", "", "Accept", "application/cbor")
	}},
	{name: "protobuf for a custom resource", run: func(t *trial) {
		t.rawCode(http.MethodPost, "/apis/kubevirt.io/v1/namespaces/NS/virtualmachines", t.protobuf(), "Content-Type", "application/vnd.kubernetes.protobuf", "Accept", "application/json")
	}},
	{name: "client that speaks protobuf", run: func(t *trial) {
		config := rest.CopyConfig(t.config)
		config.ContentType = "application/vnd.kubernetes.protobuf"
		c := need(kubernetes.NewForConfig(config))(t)
		created := need(c.CoreV1().Pods(t.ns).Create(t.ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "example.com/c:1"}}}}, createOptions))(t)
		created.Labels = map[string]string{"a": "b"}
		need(c.CoreV1().Pods(t.ns).Update(t.ctx, created, updateOptions))(t)
		need(c.CoreV1().Pods(t.ns).List(t.ctx, metav1.ListOptions{}))(t)
	}},
	{name: "object of 3 MB", run: func(t *trial) {
		body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"big"},"data":{"a":"` + strings.Repeat("x", 3<<20) + `"}}`
		t.rawCode(http.MethodPost, "/api/v1/namespaces/NS/configmaps", body, "Content-Type", "application/json")
	}},
	{name: "annotations of 300 KB", run: func(t *trial) {
		o := t.object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`)
		o.SetAnnotations(map[string]string{"a": strings.Repeat("x", 300<<10)})
		_, err := t.configMaps().Create(t.ctx, o, createOptions)
		t.note("invalid", apierrors.IsInvalid(err))
	}},
	{name: "unknown fields", run: func(t *trial) {
		t.raw(http.MethodPost, "/apis/kubevirt.io/v1/namespaces/NS/virtualmachineinstancemigrations",
			`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstanceMigration","metadata":{"name":"m"},"spec":{"vmiName":"v","none":1},"more":{}}`, "Content-Type", "application/json")
	}},
	{name: "fields of the wrong type in a custom resource", run: func(t *trial) {
		for _, spec := range []string{`{"vmiName":1}`, `{"vmiName":"a","sendTo":{"connectURL":"x"}}`, `{"addedNodeSelector":{"a":1}}`, `[]`} {
			t.rawCode(http.MethodPost, "/apis/kubevirt.io/v1/namespaces/NS/virtualmachineinstancemigrations",
				`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstanceMigration","metadata":{"name":"m"},"spec":`+spec+`}`, "Content-Type", "application/json")
		}
	}},
	{name: "immutable secret and config map", run: func(t *trial) {
		t.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, immutable: true, data: {a: "1"}}`)
		t.patch(t.configMaps(), "a", types.MergePatchType, `{"data":{"a":"2"}}`)
	}},
	{name: "no managers for server-side apply", run: func(t *trial) {
		t.raw(http.MethodPatch, "/api/v1/namespaces/NS/configmaps/a", `{"apiVersion":"v1","kind":"ConfigMap"}`, "Content-Type", "application/apply-patch+yaml")
		t.raw(http.MethodPatch, "/api/v1/namespaces/NS/configmaps/a?fieldManager=m", `{"apiVersion":"v1","kind":"Secret"}`, "Content-Type", "application/apply-patch+yaml")
	}},
}

// protobuf is a well-formed body in protobuf.
func (t *trial) protobuf() string {
	var body strings.Builder
	cm := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	t.ok(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(cm, &body))
	return body.String()
}

func (t *trial) bind(pod, node string) {
	t.raw(http.MethodPost, "/api/v1/namespaces/NS/pods/"+pod+"/binding",
		`{"apiVersion":"v1","kind":"Binding","metadata":{"name":"`+pod+`"},"target":{"kind":"Node","name":"`+node+`"}}`, "Content-Type", "application/json")
}

func (t *trial) evict(pod string) {
	err := t.kube.PolicyV1().Evictions(t.ns).Evict(t.ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: t.ns}})
	t.note("reason", apierrors.ReasonForError(err))
}

// running makes a pod that runs and is ready.
func (t *trial) running(name string) {
	t.create(podYAML, name)
	t.bind(name, "n")
	t.patch(t.pods(), name, types.MergePatchType, `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`, "status")
}

// budget makes a budget with some disruptions left.
func (t *trial) budget(name string, left int) {
	t.create(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s}, spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}}`, name)
	t.patch(t.resource("policy/v1", "PodDisruptionBudget"), name, types.MergePatchType,
		fmt.Sprintf(`{"status":{"observedGeneration":1,"disruptionsAllowed":%d,"currentHealthy":1,"desiredHealthy":1,"expectedPods":2}}`, left), "status")
}

// rawCode notes no more of an answer than its code and reason: what a parser says
// of text that it cannot read means nothing.
func (t *trial) rawCode(method, path, body string, header ...string) {
	t.rec.codesOnly(true)
	defer t.rec.codesOnly(false)
	t.raw(method, path, body, header...)
}
