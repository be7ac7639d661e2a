package engine

import (
	"bytes"
	"regexp"
	"time"
)

// timestamp is a text of JSON that is an instant, as metav1.Time and
// metav1.MicroTime write it.
var timestamp = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"`)

// shiftTimes moves every timestamp of a JSON document. It keeps their precision.
func shiftTimes(body []byte, by time.Duration) []byte {
	return timestamp.ReplaceAllFunc(body, func(text []byte) []byte {
		at, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(text))
		if err != nil {
			return text // a 13th month
		}
		layout := time.RFC3339
		if dot := bytes.IndexByte(text, '.'); dot >= 0 {
			digits := bytes.IndexAny(text[dot:], "Z+-") - 1
			layout = "2006-01-02T15:04:05." + "000000000000000000000000000000"[:digits] + "Z07:00"
		}
		return []byte(at.Add(by).Format(`"` + layout + `"`))
	})
}

// shifted moves the timestamps of a document by a clock that is off. A clock that
// no timestamp shows was never off.
func (e *Engine) shifted(plan *planned, body []byte, by time.Duration) []byte {
	out := shiftTimes(body, by)
	if !plan.applied && !bytes.Equal(out, body) {
		e.apply(plan, e.now)
	}
	return out
}
