package apiserver

import (
	"encoding/base64"
	"maps"
	"strings"

	quantity "k8s.io/apimachinery/pkg/api/resource"
)

// Defaults of built-in kinds: what kube-apiserver fills in, so that controllers
// may read it without asking whether it is there.

// defaults change an object that is about to be written; maps below it are shared
// and copied. The real server fills them in again at every write.
var defaults = map[string]func(object map[string]any){
	"Pod":                   defaultPod,
	"Secret":                defaultSecret,
	"PersistentVolumeClaim": func(o map[string]any) { o["spec"] = filled(child(o, "spec"), "volumeMode", "Filesystem") },
	"Namespace": func(o map[string]any) {
		o["spec"] = filled(child(o, "spec"), "finalizers", []any{"kubernetes"})
		meta := child(o, "metadata")
		meta["labels"] = with(child(meta, "labels"), "kubernetes.io/metadata.name", meta["name"])
	},
	"Service": defaultService,
}

// defaultSecret also moves stringData into data, as it is only another way to
// write it.
func defaultSecret(o map[string]any) {
	fill(o, "type", "Opaque")
	plain := child(o, "stringData")
	if len(plain) == 0 {
		return
	}
	data := ensureMap(maps.Clone(child(o, "data")))
	for key := range plain {
		data[key] = base64.StdEncoding.EncodeToString([]byte(text(plain, key)))
	}
	o["data"] = data
	delete(o, "stringData")
}

func fill(m map[string]any, key string, value any) {
	if v := m[key]; v == nil || v == "" {
		m[key] = value
	}
}

func filled(m map[string]any, key string, value any) map[string]any {
	c := ensureMap(maps.Clone(m))
	fill(c, key, value)
	return c
}

// tolerations are what the admission plug-in DefaultTolerationSeconds adds: five
// minutes on a node that is lost.
var tolerations = []any{
	map[string]any{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)},
	map[string]any{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)},
}

func defaultPod(o map[string]any) {
	spec := ensureMap(maps.Clone(child(o, "spec")))
	for key, value := range podDefaults {
		fill(spec, key, value)
	}
	if grace, ok := integer(spec, "terminationGracePeriodSeconds"); ok && grace < 0 {
		spec["terminationGracePeriodSeconds"] = int64(1)
	}
	spec["tolerations"] = withTolerations(spec["tolerations"])
	for _, key := range []string{"containers", "initContainers"} {
		if list, ok := spec[key].([]any); ok {
			spec[key] = defaultContainers(list)
		}
	}
	o["spec"] = spec
}

// complete fills in the defaults of a built-in kind.
func (r *resource) complete(object map[string]any) {
	if r.defaults != nil {
		r.defaults(object)
	}
}

var podDefaults = map[string]any{
	"dnsPolicy":                     "ClusterFirst",
	"enableServiceLinks":            true,
	"preemptionPolicy":              "PreemptLowerPriority",
	"priority":                      int64(0),
	"restartPolicy":                 "Always",
	"schedulerName":                 "default-scheduler",
	"securityContext":               map[string]any{},
	"terminationGracePeriodSeconds": int64(defaultPodGrace),
}

func withTolerations(given any) []any {
	list, _ := given.([]any)
	all := append(make([]any, 0, len(list)+len(tolerations)), list...)
	for _, t := range tolerations {
		if !tolerates(list, text(t.(map[string]any), "key")) {
			all = append(all, t)
		}
	}
	return all
}

// tolerates says that a list tolerates the eviction for a taint already.
func tolerates(list []any, key string) bool {
	for _, e := range list {
		t, _ := e.(map[string]any)
		k, effect := text(t, "key"), text(t, "effect")
		if (k == key || k == "") && (effect == "NoExecute" || effect == "") {
			return true
		}
	}
	return false
}

func defaultContainers(list []any) []any {
	all := make([]any, 0, len(list))
	for _, e := range list {
		c, ok := e.(map[string]any)
		if !ok {
			return list // decoding it will say what is wrong
		}
		c = maps.Clone(c)
		fill(c, "imagePullPolicy", pullPolicy(text(c, "image")))
		fill(c, "terminationMessagePath", "/dev/termination-log")
		fill(c, "terminationMessagePolicy", "File")
		c["resources"] = requestsOf(child(c, "resources"))
		all = append(all, c)
	}
	return all
}

func pullPolicy(image string) string {
	name := image[strings.LastIndex(image, "/")+1:]
	_, tag, tagged := strings.Cut(name, ":")
	if tag == "latest" || !tagged && !strings.Contains(name, "@") {
		return "Always"
	}
	return "IfNotPresent"
}

// requestsOf requests what is limited, if nothing else is requested of it.
func requestsOf(resources map[string]any) map[string]any {
	limits := child(resources, "limits")
	if len(limits) == 0 {
		return ensureMap(resources)
	}
	requests := ensureMap(maps.Clone(child(resources, "requests")))
	for name, limit := range limits {
		fill(requests, name, limit)
	}
	return with(resources, "requests", requests)
}

// qosClass is the class of service that follows from requests and limits of cpu
// and memory: Guaranteed if each container limits both and requests the same.
func qosClass(spec map[string]any) string {
	some, guaranteed := false, true
	for _, key := range []string{"containers", "initContainers"} {
		list, _ := spec[key].([]any)
		for _, e := range list {
			c, _ := e.(map[string]any)
			resources := child(c, "resources")
			requests, limits := child(resources, "requests"), child(resources, "limits")
			for _, name := range []string{"cpu", "memory"} {
				r, l := amount(requests, name), amount(limits, name)
				some = some || r.Sign() > 0 || l.Sign() > 0
				guaranteed = guaranteed && l.Sign() > 0 && r.Cmp(l) == 0
			}
		}
	}
	switch {
	case !some:
		return "BestEffort"
	case guaranteed:
		return "Guaranteed"
	}
	return "Burstable"
}

// amount reads a quantity; what is none counts as zero, as decoding refuses it.
func amount(list map[string]any, name string) quantity.Quantity {
	switch v := list[name].(type) {
	case string:
		q, _ := quantity.ParseQuantity(v)
		return q
	case int64:
		return *quantity.NewQuantity(v, quantity.DecimalSI)
	}
	return quantity.Quantity{}
}

func defaultService(o map[string]any) {
	spec := ensureMap(maps.Clone(child(o, "spec")))
	fill(spec, "sessionAffinity", "None")
	fill(spec, "type", "ClusterIP")
	if text(spec, "type") != "ExternalName" {
		fill(spec, "internalTrafficPolicy", "Cluster")
	}
	if list, ok := spec["ports"].([]any); ok {
		spec["ports"] = defaultPorts(list)
	}
	if text(spec, "clusterIP") == "None" {
		fill(spec, "clusterIPs", []any{"None"})
		fill(spec, "ipFamilies", []any{"IPv4"})
		fill(spec, "ipFamilyPolicy", "SingleStack")
	}
	o["spec"] = spec
}

func defaultPorts(list []any) []any {
	all := make([]any, 0, len(list))
	for _, e := range list {
		p, ok := e.(map[string]any)
		if !ok {
			return list
		}
		p = maps.Clone(p)
		fill(p, "protocol", "TCP")
		fill(p, "targetPort", p["port"])
		all = append(all, p)
	}
	return all
}
