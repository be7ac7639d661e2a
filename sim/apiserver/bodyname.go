package apiserver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// protobufMagic begins every protobuf body of Kubernetes.
var protobufMagic = []byte("k8s\x00")

// protobufName finds metadata.name in the protobuf form of an object: the
// envelope runtime.Unknown holds it in field 2, an object its metadata in field
// 1, and the metadata the name in field 1.
func protobufName(envelope []byte) string {
	object := protobufField(envelope, 2)
	return string(protobufField(protobufField(object, 1), 1))
}

// protobufField gives the bytes of the first length-delimited field of that
// number, or nil.
func protobufField(message []byte, number uint64) []byte {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return nil
		}
		message = message[n:]
		value, rest, ok := protobufValue(message, tag&7)
		if !ok {
			return nil
		}
		if tag>>3 == number && tag&7 == 2 {
			return value
		}
		message = rest
	}
	return nil
}

// protobufValue takes one value of a wire type off a message; value is set for
// the length-delimited type only.
func protobufValue(message []byte, wireType uint64) (value, rest []byte, ok bool) {
	size := uint64(0)
	switch wireType {
	case 0:
		_, n := binary.Uvarint(message)
		return nil, message[max(n, 0):], n > 0
	case 1:
		size = 8
	case 5:
		size = 4
	case 2:
		length, n := binary.Uvarint(message)
		if n <= 0 {
			return nil, nil, false
		}
		size, message = length, message[n:]
	default:
		return nil, nil, false
	}
	if size > uint64(len(message)) {
		return nil, nil, false
	}
	return message[:size], message[size:], true
}

// jsonName finds metadata.name in the JSON form of an object. Decoding only the
// names on the way is several times cheaper than decoding all.
func jsonName(body []byte) string {
	metadata := jsonMember(body, "metadata")
	raw := jsonMember(metadata, "name")
	if !bytes.ContainsRune(raw, '\\') && len(raw) > 1 && raw[0] == '"' {
		return string(raw[1 : len(raw)-1])
	}
	var name string
	if json.Unmarshal(raw, &name) != nil {
		return ""
	}
	return name
}

// jsonMember gives the raw value of a member of an object, or nil. Malformed
// JSON gives nil or anything: decoding the body says what is wrong with it.
func jsonMember(object []byte, key string) []byte {
	i := skipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return nil
	}
	for i++; i < len(object); i++ {
		i = skipSpace(object, i)
		end := skipValue(object, i)
		found := end-i == len(key)+2 && string(object[i+1:end-1]) == key
		if i = skipSpace(object, end); i >= len(object) || object[i] != ':' {
			return nil
		}
		i = skipSpace(object, i+1)
		end = skipValue(object, i)
		if found {
			return object[i:end]
		}
		if i = skipSpace(object, end); i >= len(object) || object[i] != ',' {
			return nil
		}
	}
	return nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue gives the index after the value that begins at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
