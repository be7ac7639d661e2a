package lockstep

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// LogHandler writes a process' log into the trace: what a handler says when it
// returns early is the best explanation of a dropped key. The value of the
// attribute "key" is the queue key that a line is about. Libraries that log
// through logr take it as logr.FromSlogHandler(env.LogHandler()).
func (e *Env) LogHandler() slog.Handler { return logHandler{env: e} }

// Levels of log notes.
const (
	levelInfo  = "info"
	levelError = "error"
)

type logHandler struct {
	env   *Env
	attrs []slog.Attr
	group string
}

// Enabled leaves out the verbose levels of client-go, logr's V(3) and above: they
// describe informers that the trace shows anyway.
func (logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.Level(-2) }

// Handle notes "message name=value ...".
func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	attrs := h.attrs[:len(h.attrs):len(h.attrs)]
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	level, key := levelInfo, ""
	var text, cause strings.Builder
	for _, a := range attrs {
		switch {
		case a.Key == "key":
			key = a.Value.String()
		case a.Key == "err" && r.Level >= slog.LevelError:
			fmt.Fprintf(&cause, ": %v", a.Value)
		case a.Key == "logger", a.Key == "reconcileID":
			// The one is no news; the other is drawn at random for each attempt.
		default:
			fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		}
	}
	if r.Level >= slog.LevelError {
		level = levelError
	}
	h.env.Note(SourceLog, level, key, r.Message+cause.String()+text.String())
	return nil
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	all := h.attrs[:len(h.attrs):len(h.attrs)]
	for _, a := range attrs {
		a.Key = h.group + a.Key
		all = append(all, a)
	}
	h.attrs = all
	return h
}

func (h logHandler) WithGroup(name string) slog.Handler {
	h.group += name + "."
	return h
}
