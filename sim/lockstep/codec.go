package lockstep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A codec writes values behind one another, or reads them in the same order: the
// functions below name each field once, for both directions. Numbers are varints,
// texts and lists have their length before them; what is empty is read as nil.
type codec struct {
	b       []byte // what was written, or is still to be read
	reading bool
	err     error // of the first value that could not be read
}

// appendFrame appends the frame as it travels.
func appendFrame(b []byte, f *frame) []byte {
	c := codec{b: b}
	c.frame(f)
	return c.b
}

// parseFrame reads what appendFrame appends. Bodies share memory with b.
func parseFrame(b []byte) (*frame, error) {
	c := codec{b: b, reading: true}
	var f frame
	c.frame(&f)
	if c.err == nil && len(c.b) > 0 {
		c.err = fmt.Errorf("%d bytes are left over", len(c.b))
	}
	if c.err != nil {
		return nil, fmt.Errorf("lockstep: a frame of %d bytes cannot be read: %w", len(b), c.err)
	}
	return &f, nil
}

func (c *codec) frame(f *frame) {
	kind := f.kind()
	c.byte(&kind)
	switch kind {
	case 'h':
		sub(c, &f.Hello, func(h *hello) {
			number(c, &h.Protocol)
			list(c, &h.Programs, c.text)
		})
	case 'b':
		sub(c, &f.Begin, func(b *begin) {
			number(c, &b.Horizon)
			number(c, &b.Stuck)
			c.uint(&b.Seed)
		})
	case 'a':
		sub(c, &f.Ask, func(a *ask) {
			c.time(&a.Start)
			list(c, &a.Quiet, func(q *quiet) {
				number(c, &q.Now)
				list(c, &q.Arrivals, c.arrival)
			})
			c.flag(&a.Tell)
		})
	case 'l':
		f.Alive = true
	case 't':
		sub(c, &f.Turn, func(t *Turn) {
			list(c, &t.Actions, c.action)
			number(c, &t.Until)
			number(c, &t.Lookahead)
			c.flag(&t.Done)
		})
	case 'e':
		sub(c, &f.End, func(r *Report) {
			c.text(&r.Hung)
			list(c, &r.Leaks, c.text)
		})
	default:
		c.fail(fmt.Errorf("unknown kind of frame %q", kind))
	}
}

// kind is the first byte of a frame.
func (f *frame) kind() byte {
	switch {
	case f.Hello != nil:
		return 'h'
	case f.Begin != nil:
		return 'b'
	case f.Ask != nil:
		return 'a'
	case f.Alive:
		return 'l'
	case f.Turn != nil:
		return 't'
	case f.End != nil:
		return 'e'
	}
	return 0
}

func (c *codec) arrival(a *Arrival) {
	c.text((*string)(&a.Kind))
	c.text(&a.Process)
	c.uint(&a.ID)
	c.text(&a.Method)
	c.text(&a.Path)
	c.header(&a.Header)
	c.bytes(&a.Body)
	c.text(&a.System)
	c.text(&a.Op)
	list(c, &a.Args, c.text)
	c.text(&a.Source)
	c.text(&a.Key)
	c.text(&a.Text)
}

func (c *codec) action(a *Action) {
	c.text((*string)(&a.Kind))
	c.uint(&a.ID)
	number(c, &a.Status)
	c.header(&a.Header)
	c.bytes(&a.Body)
	c.text(&a.Error)
	c.text(&a.Process)
	list(c, &a.Args, c.text)
}

// sub reads a part of a frame into memory of its own, or writes it.
func sub[T any](c *codec, part **T, fields func(*T)) {
	if c.reading {
		*part = new(T)
	}
	fields(*part)
}

func list[T any](c *codec, all *[]T, item func(*T)) {
	n := uint64(len(*all))
	c.uint(&n)
	if !c.reading {
		for i := range *all {
			item(&(*all)[i])
		}
		return
	}
	for ; n > 0 && c.err == nil; n-- {
		var one T
		item(&one)
		*all = append(*all, one)
	}
}

// header is written in the order of its names, so that equal frames are equal bytes.
func (c *codec) header(h *map[string]string) {
	n := uint64(len(*h))
	c.uint(&n)
	if !c.reading {
		for _, name := range slices.Sorted(maps.Keys(*h)) {
			value := (*h)[name]
			c.text(&name)
			c.text(&value)
		}
		return
	}
	for ; n > 0 && c.err == nil; n-- {
		if *h == nil {
			*h = map[string]string{}
		}
		var name, value string
		c.text(&name)
		c.text(&value)
		(*h)[name] = value
	}
}

func (c *codec) text(s *string) {
	n := uint64(len(*s))
	c.uint(&n)
	if c.reading {
		*s = string(c.take(n))
		return
	}
	c.b = append(c.b, *s...)
}

func (c *codec) bytes(b *[]byte) {
	n := uint64(len(*b))
	c.uint(&n)
	switch {
	case !c.reading:
		c.b = append(c.b, *b...)
	case n > 0:
		*b = slices.Clip(c.take(n)) // an append to it must not reach what follows
	}
}

func (c *codec) time(t *time.Time) {
	if c.reading {
		var nanoseconds int64
		number(c, &nanoseconds)
		*t = time.Unix(0, nanoseconds).UTC()
		return
	}
	nanoseconds := t.UnixNano()
	number(c, &nanoseconds)
}

func (c *codec) flag(f *bool) {
	var b byte
	if *f {
		b = 1
	}
	c.byte(&b)
	*f = b == 1
}

func (c *codec) byte(v *byte) {
	if !c.reading {
		c.b = append(c.b, *v)
		return
	}
	if b := c.take(1); len(b) == 1 {
		*v = b[0]
	}
}

func number[T ~int | ~int64](c *codec, v *T) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, int64(*v))
		return
	}
	read, n := binary.Varint(c.b)
	*v = T(read)
	c.skip(n)
}

func (c *codec) uint(v *uint64) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, *v)
		return
	}
	var n int
	*v, n = binary.Uvarint(c.b)
	c.skip(n)
}

// take reads n bytes, or none if there are fewer.
func (c *codec) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail(fmt.Errorf("expected %d bytes more, found %d", n, len(c.b)))
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// skip goes past a varint of n bytes; n is not positive where there is none.
func (c *codec) skip(n int) {
	if n <= 0 {
		c.fail(errors.New("expected a number, found none"))
		return
	}
	c.b = c.b[n:]
}

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}
