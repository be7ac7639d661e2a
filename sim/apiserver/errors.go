package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// errStale is the reason of the conflict that optimistic locking gives.
var errStale = errors.New("the object has been modified; please apply your changes to the latest version and try again")

func notFound(res *resource, name string) error { return apierrors.NewNotFound(res.gr, name) }

func conflict(res *resource, name, format string, args ...any) error {
	return apierrors.NewConflict(res.gr, name, fmt.Errorf(format, args...))
}

func badRequest(format string, args ...any) error {
	return apierrors.NewBadRequest(fmt.Sprintf(format, args...))
}

// noSuchPath is the answer to a path that leads nowhere.
func noSuchPath() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusNotFound,
		Reason:  metav1.StatusReasonNotFound,
		Message: "the server could not find the requested resource",
		Details: &metav1.StatusDetails{},
	}}
}

// noSuchSubresource is the answer to a subresource that a kind does not have. Of
// custom resources it is the object that is said to be missing.
func (r *resource) noSuchSubresource(name string) error {
	if r.custom {
		return notFound(r, name)
	}
	return noSuchPath()
}

// methodNotAllowed is a 405 about no resource in particular.
func methodNotAllowed() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed,
		Message: "the server does not allow this method on the requested resource", Details: &metav1.StatusDetails{},
	}}
}

func unsupportedMediaType(accepted []string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnsupportedMediaType,
		Reason:  metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(accepted, ", "),
	}}
}

// tooLarge answers a client that has seen a future which this server has not: a
// real server waits some seconds for it and then says this.
func tooLarge(wanted, current uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", wanted, current), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}

// statusOf gives the Status that describes an error.
func statusOf(err error) metav1.Status {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = apierrors.NewInternalError(err)
	}
	status := known.Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}

func failure(err error) *engine.Response {
	status := statusOf(err)
	header := jsonHeader
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		// Clients wait so long, and then try again on their own.
		header = map[string]string{"Content-Type": runtime.ContentTypeJSON, "Retry-After": strconv.Itoa(int(status.Details.RetryAfterSeconds))}
	}
	return &engine.Response{
		Status: int(status.Code),
		Header: header,
		Body:   encodeStatus(status),
		Reason: string(status.Reason),
	}
}

func encodeStatus(status metav1.Status) []byte {
	body, err := json.Marshal(status)
	if err != nil {
		panic(fmt.Sprintf("apiserver: encoding a Status: %v", err))
	}
	return append(body, '\n')
}

// plainError is a 500 without a reason: an error that kube-apiserver passes on as
// it is.
func plainError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message,
	}}
}

// pageNotFound is the answer to a path that no part of the server knows: no
// Status, but text.
func pageNotFound() *engine.Response {
	return &engine.Response{Status: http.StatusNotFound, Header: textHeader, Body: []byte("404 page not found\n"),
		Reason: string(metav1.StatusReasonNotFound)}
}

var textHeader = map[string]string{"Content-Type": "text/plain; charset=utf-8"}
