package lockstep

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"
)

// protocol is the version of the frames. Parent and child compare it in the
// first frame; it grows with every change of a type below or of the messages.
const protocol = 3

// A frame is one message between parent and child; exactly one field is set.
// The child begins with Hello. Then the parent sends Begin, the child asks until
// it is told that the run is done, and ends the run with End.
type frame struct {
	Hello *hello
	Begin *begin
	Ask   *ask
	Alive bool // a long sleep of the child goes on
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

// ask is one call of Engine.Quiesced or several, in the order of their instants.
// The answer to the last one is the next frame of the parent.
type ask struct {
	Start time.Time // of the run, on the bubble's clock, in UTC
	Quiet []quiet
	Tell  bool // nobody waits for an answer
}

// quiet is a quiet point of the bubble.
type quiet struct {
	Now      time.Duration
	Arrivals []Arrival
}

// Every frame has a head: four fixed bytes, then the length and the CRC-32C of what
// follows, both big-endian. A stray write to the pipe is so taken for what it is,
// be it between two frames or within one.
const headSize = 12

var magic = []byte("vmr\x00")

// maxFrame bounds a frame's length. firstPiece is as much as is allocated before
// the bytes are there.
const (
	maxFrame   = 1 << 30
	firstPiece = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A wire carries frames. Either direction is used by one goroutine at a time.
type wire struct {
	r   *bufio.Reader
	w   io.Writer
	out []byte
}

func newWire(r io.Reader, w io.Writer) *wire {
	return &wire{r: bufio.NewReaderSize(r, 64<<10), w: w}
}

// send writes one frame with one call of Write.
func (c *wire) send(f *frame) error {
	b := appendFrame(append(c.out[:0], make([]byte, headSize)...), f)
	c.out = b
	content := b[headSize:]
	if len(content) > maxFrame {
		return fmt.Errorf("lockstep: expected a frame of at most %d bytes, found one of %d", maxFrame, len(content))
	}
	copy(b, magic)
	binary.BigEndian.PutUint32(b[4:], uint32(len(content)))
	binary.BigEndian.PutUint32(b[8:], crc32.Checksum(content, castagnoli))
	_, err := c.w.Write(b)
	return err
}

// receive reads one frame. The error is io.EOF if the other side has closed the
// pipe between two frames.
func (c *wire) receive() (*frame, error) {
	var head [headSize]byte
	if n, err := io.ReadFull(c.r, head[:]); err != nil {
		return nil, cutShort(err, n, headSize)
	}
	n := binary.BigEndian.Uint32(head[4:])
	if !bytes.Equal(head[:4], magic) || n > maxFrame {
		return nil, fmt.Errorf("lockstep: expected a frame, found %q: something else writes to the pipe (file descriptor %d)", c.context(head[:]), fdToParent)
	}
	content, err := c.read(int(n))
	if err != nil {
		return nil, err
	}
	if crc32.Checksum(content, castagnoli) != binary.BigEndian.Uint32(head[8:]) {
		return nil, fmt.Errorf("lockstep: a frame of %d bytes was changed on its way: something else writes to the pipe (file descriptor %d)", n, fdToParent)
	}
	return parseFrame(content)
}

// read reads the content of a frame. Its memory is the frame's own.
func (c *wire) read(n int) ([]byte, error) {
	content := make([]byte, 0, min(n, firstPiece))
	for len(content) < n {
		piece := min(n-len(content), max(len(content), firstPiece))
		content = slices.Grow(content, piece)
		got, err := io.ReadFull(c.r, content[len(content):len(content)+piece])
		content = content[:len(content)+got]
		if err != nil {
			return nil, cutShort(err, headSize+len(content), headSize+n)
		}
	}
	return content, nil
}

// context is what was found in the place of a head, and what came with it.
func (c *wire) context(head []byte) []byte {
	more, _ := c.r.Peek(min(c.r.Buffered(), 60)) // what is buffered is there
	return slices.Concat(head, more)
}

// A shortFrame is the error of a frame of which only the beginning came.
type shortFrame struct {
	got, want int // bytes
	cause     error
}

func (e *shortFrame) Error() string {
	return fmt.Sprintf("it stopped in the middle of a frame, after %d of %d bytes", e.got, e.want)
}

func (e *shortFrame) Unwrap() error { return e.cause }

// cutShort says where in a frame the pipe ended, or its reader was stopped.
func cutShort(err error, got, want int) error {
	if got == 0 {
		return err
	}
	return &shortFrame{got, want, err}
}
