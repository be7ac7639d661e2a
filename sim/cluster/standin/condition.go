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
	c := NewCondition(now, kind, status, reason, message)
	if old != nil && String(old, "status") == status && String(old, "lastTransitionTime") != "" {
		c["lastTransitionTime"] = String(old, "lastTransitionTime")
	}
	putCondition(content, c)
	return true
}

// NewCondition makes a condition that changed just now.
func NewCondition(now time.Time, kind, status, reason, message string) map[string]any {
	c := map[string]any{"type": kind, "status": status, "lastTransitionTime": Timestamp(now)}
	if reason != "" {
		c["reason"] = reason
	}
	if message != "" {
		c["message"] = message
	}
	return c
}

// UpdateCondition puts a condition into an edited object as it is, unless one with
// its status, reason and message is there: so KubeVirt's controllers do. It tells
// whether anything changed.
func UpdateCondition(content map[string]any, c map[string]any) bool {
	old := Condition(content, String(c, "type"))
	if old != nil && String(old, "status") == String(c, "status") &&
		String(old, "reason") == String(c, "reason") && String(old, "message") == String(c, "message") {
		return false
	}
	putCondition(content, c)
	return true
}

// RemoveCondition takes a condition out of an edited object. It tells whether
// there was one.
func RemoveCondition(content map[string]any, kind string) bool {
	if Condition(content, kind) == nil {
		return false
	}
	kept := []any{}
	for _, c := range Items(content, "status", "conditions") {
		if String(c, "type") != kind {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		Remove(content, "status", "conditions")
		return true
	}
	Set(content, kept, "status", "conditions")
	return true
}

// putCondition puts a condition in the place of an older one of its type, or at
// the end.
func putCondition(content map[string]any, c map[string]any) {
	kind := String(c, "type")
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
}
