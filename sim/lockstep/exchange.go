package lockstep

import (
	"context"
	"errors"
	"io"
	"sync"
)

// errKilled is what a process sees of its connections once it was stopped.
var errKilled = errors.New("lockstep: the process was stopped")

// An exchange is one request or call that waits, and later its open body.
type exchange struct {
	process *process
	id      uint64 // given by the root when it takes the arrival
	reply   chan Action
	body    *body // of an Open answer

	mu        sync.Mutex
	cancelled bool
}

func newExchange(p *process) *exchange {
	return &exchange{process: p, reply: make(chan Action, 1)}
}

// wait returns the engine's answer, or the reason why nobody waits any more.
func (x *exchange) wait(ctx context.Context) (Action, error) {
	select {
	case a := <-x.reply:
		return a, nil
	case <-ctx.Done():
		x.cancel()
		return Action{}, ctx.Err()
	case <-x.process.dead:
		return Action{}, errKilled
	}
}

// cancel tells the engine, once, that the client gave up.
func (x *exchange) cancel() {
	x.mu.Lock()
	again := x.cancelled
	x.cancelled = true
	x.mu.Unlock()
	if !again {
		x.process.run.inbox.add(posting{Arrival{Kind: Cancel, Process: x.process.name}, x})
	}
}

// A body is the open end of a watch: what the engine sends is what Read returns.
type body struct {
	exchange *exchange
	ctx      context.Context
	more     chan struct{} // one token: something was sent

	mu  sync.Mutex
	buf []byte
	end error
}

func newBody(ctx context.Context, x *exchange) *body {
	return &body{exchange: x, ctx: ctx, more: make(chan struct{}, 1)}
}

// send appends data, or the end of the body if end is not nil.
func (b *body) send(data []byte, end error) {
	b.mu.Lock()
	b.buf = append(b.buf, data...)
	if end != nil && b.end == nil {
		b.end = end
	}
	b.mu.Unlock()
	select {
	case b.more <- struct{}{}:
	default:
	}
}

func (b *body) Read(p []byte) (int, error) {
	for {
		b.mu.Lock()
		if len(b.buf) > 0 {
			n := copy(p, b.buf)
			b.buf = b.buf[n:]
			b.mu.Unlock()
			return n, nil
		}
		end := b.end
		b.mu.Unlock()
		if end != nil {
			return 0, end
		}
		select {
		case <-b.more:
		case <-b.ctx.Done():
			b.exchange.cancel()
			return 0, b.ctx.Err()
		case <-b.exchange.process.dead:
			return 0, errKilled
		}
	}
}

// Close ends the stream from the client's side.
func (b *body) Close() error {
	b.send(nil, io.ErrClosedPipe)
	b.exchange.cancel()
	return nil
}
