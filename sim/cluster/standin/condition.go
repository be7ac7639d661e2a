package standin

import "time"

// Condition finds one of status.conditions; nil if it is not there.
func Condition(content map[string]any, kind string) map[string]any {
	for _, c := range Items(content, "status", "conditions") {
		if String(c, "type") == kind {
			return c
		}
	}
	return nil
}

// SetCondition puts a condition into an edited object, in the place of an older
// one of its type. lastTransitionTime is kept where the status stays the same.
// It tells whether anything changed.
func SetCondition(content map[string]any, now time.Time, kind, status, reason, message string) bool {
	old := Condition(content, kind)
	if old != nil && String(old, "status") == status && String(old, "reason") == reason && String(old, "message") == message {
		return false
	}
	c := map[string]any{"type": kind, "status": status, "lastTransitionTime": Timestamp(now)}
	if old != nil && String(old, "status") == status && String(old, "lastTransitionTime") != "" {
		c["lastTransitionTime"] = String(old, "lastTransitionTime")
	}
	if reason != "" {
		c["reason"] = reason
	}
	if message != "" {
		c["message"] = message
	}
	list, replaced := []any{}, false
	for _, o := range Items(content, "status", "conditions") {
		if String(o, "type") == kind {
			o, replaced = c, true
		}
		list = append(list, o)
	}
	if !replaced {
		list = append(list, c)
	}
	Set(content, list, "status", "conditions")
	return true
}
