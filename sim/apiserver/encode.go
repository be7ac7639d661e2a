package apiserver

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON encodes decoded JSON (maps, slices, strings, booleans, int64, float64
// and nil; others make it panic) with sorted keys, so equal values have equal
// bytes. It exists because encoding
// takes a large part of a request's time: it is several times faster than
// encoding/json, which has to reflect on every value. It escapes what JSON asks
// for, but not <, > and &.
func AppendJSON(dst []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return appendString(dst, x)
	case bool:
		return strconv.AppendBool(dst, x)
	case int64:
		return strconv.AppendInt(dst, x, 10)
	case float64:
		return appendFloat(dst, x)
	case map[string]any:
		return appendMap(dst, x)
	case []any:
		dst = append(dst, '[')
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, e)
		}
		return append(dst, ']')
	}
	panic(fmt.Sprintf("apiserver: content holds a %T, which is not decoded JSON", v))
}

func appendMap(dst []byte, m map[string]any) []byte {
	var few [16]string // most objects have few fields: no allocation
	keys := few[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, k), ':')
		dst = AppendJSON(dst, m[k])
	}
	return append(dst, '}')
}

// appendFloat writes numbers as ECMAScript and encoding/json do: digits up to
// 1e21, an exponent beyond and below 1e-6.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if escaped := escape(r, size); escaped != "" {
			dst = append(append(dst, s[start:i]...), escaped...)
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// escape gives what to write instead of a rune, or nothing if it stays. Bytes
// that are no UTF-8 become the replacement character.
func escape(r rune, size int) string {
	switch {
	case r == '"':
		return `\"`
	case r == '\\':
		return `\\`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < ' ':
		return fmt.Sprintf(`\u%04x`, r)
	case r == utf8.RuneError && size == 1:
		return "\ufffd"
	}
	return ""
}
