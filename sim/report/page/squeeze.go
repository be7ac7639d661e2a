package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
)

// squeezed is a value as the page holds it: JSON, gzip, and base64 in the
// alphabet that HTML leaves alone.
func squeezed(value any) (string, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false) // nothing of it is HTML before it is unpacked
	if err := e.Encode(value); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(out.Bytes()), nil
}
