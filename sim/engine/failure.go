package engine

import (
	"encoding/json"
	"net/http"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// reasons are the machine-readable reasons that a Status has for HTTP statuses
// (k8s.io/apimachinery, metav1.StatusReason).
var reasons = map[int]string{
	http.StatusBadRequest:          "BadRequest",
	http.StatusUnauthorized:        "Unauthorized",
	http.StatusForbidden:           "Forbidden",
	http.StatusNotFound:            "NotFound",
	http.StatusConflict:            "Conflict",
	http.StatusGone:                "Expired",
	http.StatusUnprocessableEntity: "Invalid",
	http.StatusTooManyRequests:     "TooManyRequests",
	http.StatusInternalServerError: "InternalError",
	http.StatusServiceUnavailable:  "ServiceUnavailable",
	http.StatusGatewayTimeout:      "Timeout",
}

// failure is the reason and the body of a failure that is injected.
func failure(status int, info RequestInfo) (reason string, body []byte) {
	reason = reasons[status]
	details := map[string]any{"kind": info.Kind, "name": info.Name}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		details["retryAfterSeconds"] = 1
	}
	body, err := json.Marshal(map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": "injected: " + http.StatusText(status), "reason": reason, "code": status, "details": details,
	})
	if err != nil {
		panic("engine: a Status of plain values cannot be encoded: " + err.Error())
	}
	return reason, body
}

// breakStream ends a watch from the server's side.
func (e *Engine) breakStream(id uint64, how Break) {
	if how == BreakGone {
		_, status := failure(http.StatusGone, RequestInfo{})
		frame := append(append([]byte(`{"type":"ERROR","object":`), status...), "}\n"...)
		e.out = append(e.out, lockstep.Action{Kind: lockstep.Send, ID: id, Body: frame})
	}
	e.out = append(e.out, lockstep.Action{Kind: lockstep.End, ID: id})
	e.forget(id)
}
