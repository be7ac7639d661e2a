package sim

import (
	"fmt"
	"strings"

	"github.com/go-logr/logr"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// Logger writes a process' log into the trace: what a handler says when it
// returns early is the best explanation of a dropped key.
func Logger(env *lockstep.Env) logr.Logger {
	return logr.New(sink{env: env})
}

// Levels of log notes.
const (
	levelInfo  = "info"
	levelError = "error"
)

type sink struct {
	env    *lockstep.Env
	name   string
	values []any
}

func (sink) Init(logr.RuntimeInfo) {}

// Enabled leaves out the verbose levels of client-go: they describe informers
// that the trace shows anyway.
func (sink) Enabled(level int) bool { return level <= 2 }

func (s sink) Info(_ int, msg string, kv ...any) { s.note(levelInfo, msg, kv) }

func (s sink) Error(err error, msg string, kv ...any) {
	if err != nil {
		msg += ": " + err.Error()
	}
	s.note(levelError, msg, kv)
}

func (s sink) WithValues(kv ...any) logr.LogSink {
	s.values = append(s.values[:len(s.values):len(s.values)], kv...)
	return s
}

func (s sink) WithName(name string) logr.LogSink {
	if s.name != "" {
		name = s.name + "." + name
	}
	s.name = name
	return s
}

// note writes "msg k=v ..."; the value of "key" is the queue key that it is about.
func (s sink) note(level, msg string, kv []any) {
	var text strings.Builder
	text.WriteString(msg)
	key := ""
	for _, list := range [][]any{s.values, kv} {
		for i := 0; i+1 < len(list); i += 2 {
			if list[i] == "key" {
				key = fmt.Sprint(list[i+1])
				continue
			}
			fmt.Fprintf(&text, " %v=%v", list[i], list[i+1])
		}
	}
	s.env.Note(engine.SourceLog, level, key, text.String())
}
