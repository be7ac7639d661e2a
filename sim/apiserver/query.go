package apiserver

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A query is the part of a request's query that the server heeds. Names and
// meanings are those of ListOptions, DeleteOptions and their kin.
type query struct {
	watch           bool
	labelSelector   string
	fieldSelector   string
	resourceVersion string
	stale           time.Duration // how long ago the front-end that answers stopped
	versionMatch    string        // resourceVersionMatch
	limit           int64
	next            string // continue
	bookmarks       bool   // allowWatchBookmarks
	initialEvents   *bool  // sendInitialEvents
	dryRun          bool
	dryRuns         []string
	grace           *int64 // gracePeriodSeconds
	propagation     string // propagationPolicy
	manager         string // fieldManager
	force           bool
}

func parseQuery(raw string) (*query, error) {
	q := &query{}
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		key, value, _ := strings.Cut(pair, "=")
		key, err := unescape(key)
		if err != nil {
			return nil, err
		}
		if value, err = unescape(value); err != nil {
			return nil, err
		}
		if err := q.set(key, value); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func unescape(s string) (string, error) {
	if !strings.ContainsAny(s, "%+") {
		return s, nil
	}
	decoded, err := url.QueryUnescape(s)
	if err != nil {
		return "", badRequest("query of the request: %v", err)
	}
	return decoded, nil
}

func (q *query) set(key, value string) (err error) {
	switch key {
	case "watch":
		q.watch = truth(value)
	case "labelSelector":
		q.labelSelector = value
	case "fieldSelector":
		q.fieldSelector = value
	case "resourceVersion":
		q.resourceVersion = value
	case "resourceVersionMatch":
		q.versionMatch = value
	case "limit":
		q.limit, err = parseInt(value)
	case "continue":
		q.next = value
	case "allowWatchBookmarks":
		q.bookmarks = truth(value)
	case "sendInitialEvents":
		initial := truth(value)
		q.initialEvents = &initial
	case "dryRun":
		q.dryRun = true
		q.dryRuns = append(q.dryRuns, value)
	case "fieldManager":
		q.manager = value
	case "force":
		q.force = truth(value)
	case "propagationPolicy":
		q.propagation = value
	case "gracePeriodSeconds":
		var grace int64
		grace, err = parseInt(value)
		q.grace = &grace
	}
	return err
}

// truth reads a boolean as kube-apiserver does: all but "false" and "0" is true.
func truth(value string) bool { return value != "false" && value != "0" }

func parseInt(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, badRequest("strconv.ParseInt: parsing %q: invalid syntax", value)
	}
	return n, nil
}

// check refuses combinations that mean nothing for lists or watches.
func (q *query) check() error {
	var errs field.ErrorList
	forbid := func(name, why string) { errs = append(errs, field.Forbidden(field.NewPath(name), why)) }
	match := q.versionMatch
	switch {
	case q.watch && q.initialEvents != nil && match != notOlderThan:
		forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
	case q.watch && q.initialEvents == nil && match != "":
		forbid("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
		if match != notOlderThan {
			errs = append(errs, field.NotSupported(field.NewPath("resourceVersionMatch"), match, []string{notOlderThan}))
		}
	case q.watch:
	case q.initialEvents != nil:
		forbid("sendInitialEvents", "sendInitialEvents is forbidden for list")
	case match == "":
	case q.resourceVersion == "":
		forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided")
	case q.next != "":
		forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
	case match == exactMatch && q.resourceVersion == "0":
		forbid("resourceVersionMatch", `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
	case match != exactMatch && match != notOlderThan:
		errs = append(errs, field.NotSupported(field.NewPath("resourceVersionMatch"), match, []string{exactMatch, notOlderThan, ""}))
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
}

const (
	exactMatch   = string(metav1.ResourceVersionMatchExact)
	notOlderThan = string(metav1.ResourceVersionMatchNotOlderThan)
)

// singleName is the name that a field selector restricts a collection to.
func (q *query) singleName() string {
	name, ok := strings.CutPrefix(q.fieldSelector, "metadata.name=")
	if !ok || strings.ContainsAny(name, ",=!") {
		return ""
	}
	return name
}

// optionKinds are what kube-apiserver calls the queries of its methods.
var optionKinds = map[string]string{http.MethodPost: "CreateOptions", http.MethodPut: "UpdateOptions",
	http.MethodPatch: "PatchOptions", http.MethodDelete: "DeleteOptions"}

// checkDryRun refuses all values but "All".
func (q *query) checkDryRun(method string) error {
	if !q.dryRun || len(q.dryRuns) == 1 && q.dryRuns[0] == metav1.DryRunAll {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: optionKinds[method]}, "",
		field.ErrorList{field.NotSupported(field.NewPath("dryRun"), q.dryRuns, []string{metav1.DryRunAll})})
}
