package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadReports reads reports as the command writes them in JSON. It refuses what no
// search has written: a job that failed early must not count as one that found
// nothing.
func ReadReports(text []byte) ([]*Report, error) {
	var reports []*Report
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	switch err := d.Decode(&reports); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("found nothing")
	case err != nil:
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("found something after the list of reports")
	}
	if len(reports) == 0 {
		return nil, errors.New("found no report in it")
	}
	for i, r := range reports {
		if err := r.whole(); err != nil {
			return nil, fmt.Errorf("number %d in it: %w", i+1, err)
		}
	}
	return reports, nil
}

// whole says what a report lacks that every search writes.
func (r *Report) whole() error {
	switch {
	case r == nil:
		return errors.New("found null")
	case r.Path == "" || r.Variant == "":
		return fmt.Errorf("expected the path of a scenario and a variant, found %q and %q", r.Path, r.Variant)
	case r.Budget < 1 || r.Depth < 1:
		return fmt.Errorf("expected a budget and a depth from 1 on, found %d and %d", r.Budget, r.Depth)
	case len(r.Shards) == 0 || slices.Min(r.Shards) < 1 || slices.Max(r.Shards) > r.Of:
		return fmt.Errorf("expected shards from 1 to %d, found %v", r.Of, r.Shards)
	}
	return nil
}
