package lockstep

import (
	"context"
	"errors"
	"net/http"
)

// A Program is one process under test: it builds a controller from env and runs
// it until ctx ends. It must leave no goroutine behind.
type Program func(ctx context.Context, env *Env) error

// Env is what a process has instead of a network.
type Env struct {
	process *process
	args    []string
}

// Process is the name of the process: "kube-ovn-controller".
func (e *Env) Process() string { return e.process.name }

// Args are the arguments of the Start action.
func (e *Env) Args() []string { return e.args }

// Transport sends requests to the simulated API server; set it in the
// controller's rest.Config.
func (e *Env) Transport() http.RoundTripper { return transport{e.process} }

// Call asks a system that is not Kubernetes, such as the OVN northbound
// database, and waits for the answer.
func (e *Env) Call(ctx context.Context, system, op string, args ...string) ([]byte, error) {
	x := newExchange(e.process)
	if err := e.process.post(Arrival{Kind: Call, System: system, Op: op, Args: args}, x); err != nil {
		return nil, err
	}
	a, err := x.wait(ctx)
	if err != nil {
		return nil, err
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Body, nil
}

// Note tells the engine what the process does, without waiting: source is a
// queue's name or "log", op what happened there, key what it happened to.
func (e *Env) Note(source, op, key, text string) {
	e.process.tell(Arrival{Kind: Note, Source: source, Op: op, Key: key, Text: text})
}
