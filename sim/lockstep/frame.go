package lockstep

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"time"
)

// protocol is the version of the frames. Parent and child compare it in the
// first frame; it grows with every change of a type below or of the messages.
const protocol = 1

// maxFrame bounds a frame's length, so that a stray write to the pipe is taken
// for what it is and not for the length of a huge frame.
const maxFrame = 1 << 30

// A frame is one message between parent and child; exactly one field is set.
// The child begins with Hello. Then the parent sends Begin, the child asks until
// it is told that the run is done, and ends the run with End.
type frame struct {
	Hello *hello
	Begin *begin
	Ask   *ask
	Turn  *Turn
	End   *Report
}

// hello says what the child is.
type hello struct {
	Protocol int
	Programs []string // sorted
}

// begin says which run comes next.
type begin struct {
	Horizon, Stuck time.Duration
	Seed           uint64
}

// ask is a call of Engine.Quiesced.
type ask struct {
	Start    time.Time // of the run, on the bubble's clock
	Now      time.Duration
	Arrivals []Arrival
}

// A wire carries frames: four bytes of length, big-endian, then the frame as
// encoding/gob writes it. One stream of gob spans all frames of a direction, so
// that the description of the types is sent once and not in every frame.
type wire struct {
	r   io.Reader
	w   io.Writer
	out bytes.Buffer
	in  bytes.Buffer
	enc *gob.Encoder
	dec *gob.Decoder
}

func newWire(r io.Reader, w io.Writer) *wire {
	c := &wire{r: bufio.NewReaderSize(r, 64<<10), w: w}
	c.enc, c.dec = gob.NewEncoder(&c.out), gob.NewDecoder(&c.in)
	return c
}

// send writes one frame with one call of Write.
func (c *wire) send(f *frame) error {
	c.out.Reset()
	c.out.Write(make([]byte, 4))
	if err := c.enc.Encode(f); err != nil {
		return fmt.Errorf("lockstep: encode a frame: %w", err)
	}
	b := c.out.Bytes()
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	_, err := c.w.Write(b)
	return err
}

// receive reads one frame. The error is io.EOF if the other side has closed the
// pipe between two frames.
func (c *wire) receive() (*frame, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, fmt.Errorf("lockstep: expected a frame, found %q: something else writes to the pipe", head)
	}
	if _, err := io.CopyN(&c.in, c.r, int64(n)); err != nil {
		return nil, err
	}
	var f frame
	if err := c.dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("lockstep: decode a frame: %w", err)
	}
	return &f, nil
}
