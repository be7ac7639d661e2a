package lockstep

import (
	"context"
	"net/http"
)

// A Program is one process under test: it builds a controller from env and runs
// it until ctx ends. It must leave no goroutine behind.
type Program func(ctx context.Context, env *Env) error

// Env is what a process has instead of a network.
type Env struct {
	name string
	args []string
	host Host
}

// A Host is what a process talks to through its Env: the bubble that it lives in,
// or whatever runs programs without one.
type Host interface {
	Transport() http.RoundTripper
	Call(ctx context.Context, system, op string, args []string) ([]byte, error)
	Note(source, op, key, text string)
}

// NewEnv is the environment of a process outside of any bubble: nothing that the
// process does waits for an Engine, unless h makes it wait.
func NewEnv(process string, args []string, h Host) *Env {
	return &Env{name: process, args: args, host: h}
}

// Process is the name of the process: "kube-ovn-controller".
func (e *Env) Process() string { return e.name }

// Args are the arguments of the Start action.
func (e *Env) Args() []string { return e.args }

// Transport sends requests to the simulated API server; set it in the
// controller's rest.Config.
func (e *Env) Transport() http.RoundTripper { return e.host.Transport() }

// Call asks a system that is not Kubernetes, such as the OVN northbound
// database, and waits for the answer.
func (e *Env) Call(ctx context.Context, system, op string, args ...string) ([]byte, error) {
	return e.host.Call(ctx, system, op, args)
}

// Note tells the engine what the process does, without waiting: source is a
// queue's name or "log", op what happened there, key what it happened to.
func (e *Env) Note(source, op, key, text string) {
	e.host.Note(source, op, key, text)
}
