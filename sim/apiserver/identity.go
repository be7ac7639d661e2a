package apiserver

import (
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
)

// identity makes the random parts of metadata. Each is drawn from the seed, the
// object's own name and a count, and not from one stream: the third pod of a
// generateName has the same name and UID in every order of the other writes, so
// the names of decision points survive a change of the schedule.
type identity struct {
	seed  uint64
	drawn map[string]uint64
}

func (d *identity) source(use, kind, key string) *rand.Rand {
	id := use + " " + kind + " " + key
	if d.drawn == nil {
		d.drawn = make(map[string]uint64)
	}
	d.drawn[id]++
	h := fnv.New64a()
	h.Write([]byte(id))
	h.Write(strconv.AppendUint([]byte{' '}, d.drawn[id], 10))
	return rand.New(rand.NewPCG(d.seed, h.Sum64()))
}

// uid is a random UUID (version 4) for the next object of this name.
func (d *identity) uid(kind, key string) string {
	r := d.source("uid", kind, key)
	var b [16]byte
	for i := 0; i < len(b); i += 8 {
		v := r.Uint64()
		for j := range 8 {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[0:8], b[0:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:36], b[10:16])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}

// What kube-apiserver appends to generateName: five characters of an alphabet
// without vowels and look-alikes, to at most 58 of the base.
const (
	suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789"
	suffixLength   = 5
	maxBaseLength  = 63 - suffixLength
)

// name completes a generateName.
func (d *identity) name(kind, namespace, base string) string {
	if len(base) > maxBaseLength {
		base = base[:maxBaseLength]
	}
	r := d.source("name", kind, namespace+"/"+base)
	name := []byte(base)
	for range suffixLength {
		name = append(name, suffixAlphabet[r.IntN(len(suffixAlphabet))])
	}
	return string(name)
}
