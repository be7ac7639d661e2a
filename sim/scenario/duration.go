package scenario

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// duration reads a virtual time, "250ms" or "1m30s", that is at least least. ok
// is false after a report.
func (d *document) duration(n *yaml.Node, what string, least time.Duration) (_ time.Duration, ok bool) {
	at := d.pos(n)
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || isNull(n) {
		d.errorf(at, "%s: expected a duration like 61s, found %s", what, found(n))
		return 0, false
	}
	v, err := time.ParseDuration(n.Value)
	switch {
	case err != nil && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float"):
		d.errorf(at, "%s: expected a duration like 61s, found %s without a unit", what, found(n))
	case err != nil:
		d.errorf(at, "%s: expected a duration like 61s, 250ms or 1m30s, found %s", what, found(n))
	case v < 0:
		d.errorf(at, "%s: %s is negative", what, n.Value)
	case v < least:
		d.errorf(at, "%s: %s is too short: expected more than 0", what, n.Value)
	default:
		return v, true
	}
	return 0, false
}

// instant reads a duration since the run's start, or the name of an event.
func (d *document) instant(n *yaml.Node, what string) Instant {
	if looksLikeDuration(resolve(n).Value) || resolve(n).Kind != yaml.ScalarNode {
		offset, ok := d.duration(n, what, 0)
		if ok {
			d.beforeEnd(n, what, offset)
		}
		return Instant{Offset: offset, Pos: d.pos(n)}
	}
	w := d.text(n, what)
	d.refersTo(w, "event", &d.events)
	return Instant{Event: w.text, Pos: w.pos}
}

// looksLikeDuration tells durations from names of events, which start with a letter.
func looksLikeDuration(s string) bool {
	return s != "" && strings.ContainsRune("0123456789+-.", rune(s[0]))
}

// beforeEnd reports, once the length of the run is known, an instant that the
// run does not reach.
func (d *document) beforeEnd(n *yaml.Node, what string, offset time.Duration) {
	at, text := d.pos(n), resolve(n).Value
	d.later(func() {
		if d.until > 0 && offset > d.until {
			d.errorf(at, "%s: %s is beyond the end of the run: until is %s", what, text, shortDuration(d.until))
		}
	})
}

// shortDuration is 5m instead of Go's 5m0s.
func shortDuration(v time.Duration) string {
	s := v.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
