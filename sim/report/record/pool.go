package record

import (
	"bytes"
	"encoding/json"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A pool holds each JSON text once, in one form: keys sorted, no spaces.
type pool struct {
	list       []json.RawMessage
	byText     map[string]int
	byRevision map[writeKey]int
}

func newPool() *pool {
	return &pool{byText: map[string]int{}, byRevision: map[writeKey]int{}}
}

// object is the blob of one state of an object.
func (p *pool) object(r engine.Revision) int {
	key := writeKey{r.Ref().Kind, r.Ref().Key(), r.Version()}
	if i, known := p.byRevision[key]; known {
		return i
	}
	p.byRevision[key] = p.value(r.Content())
	return p.byRevision[key]
}

// json is the blob of a body. What the encoder cannot hold is kept as it came.
func (p *pool) json(body []byte) int {
	var value any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return p.add(body)
	}
	return p.value(value)
}

func (p *pool) value(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		panic("record: an object of JSON values is no JSON: " + err.Error())
	}
	return p.add(text)
}

func (p *pool) add(text []byte) int {
	if i, known := p.byText[string(text)]; known {
		return i
	}
	i := len(p.list)
	p.byText[string(text)] = i
	p.list = append(p.list, text)
	return i
}
