package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/vmreplay/vmreplay/sim/report/record"
)

// A bundle is the records of all variants of one scenario. They have most of
// their steps and objects in common, so each distinct row is there once, and a
// run is the numbers of its rows.
type bundle struct {
	Lanes []record.Lane     `json:"lanes"`
	Blobs []json.RawMessage `json:"blobs"`
	// Rows are the distinct rows of each list.
	Rows map[string][]json.RawMessage `json:"rows"`
	// Steps are the distinct steps, by column.
	Steps *columns         `json:"steps"`
	Runs  map[int]*bundled `json:"runs"`

	records []member
	steps   []record.Step
	lanes   map[record.Lane]int
	rows    map[string]map[string]int
}

// A member is a run before it is put into its bundle.
type member struct {
	run    int
	record *record.Record
}

// bundled is one run: of each list the rows as pairs of a first number and a count.
type bundled struct {
	End   float64          `json:"end"`
	Lists map[string][]int `json:"lists"`
}

func newBundle() *bundle {
	return &bundle{
		Lanes: []record.Lane{}, Blobs: []json.RawMessage{}, Rows: map[string][]json.RawMessage{}, Runs: map[int]*bundled{},
		lanes: map[record.Lane]int{}, rows: map[string]map[string]int{},
	}
}

// sortBlobs gathers the objects of all runs, in the order of their texts: states
// of one object stand together then, and compress to half. It returns their
// numbers.
func (b *bundle) sortBlobs() map[string]int {
	at := map[string]int{}
	for _, m := range b.records {
		for _, blob := range m.record.Blobs {
			at[string(blob)] = 0
		}
	}
	for i, text := range slices.Sorted(maps.Keys(at)) {
		at[text] = i
		b.Blobs = append(b.Blobs, json.RawMessage(text))
	}
	return at
}

// sortLanes gathers the lanes of all runs.
func (b *bundle) sortLanes() {
	for _, m := range b.records {
		for _, l := range m.record.Lanes {
			number(b.lanes, &b.Lanes, l)
		}
	}
	slices.SortFunc(b.Lanes, record.CompareLanes)
	for i, l := range b.Lanes {
		b.lanes[l] = i
	}
}

// add takes a run in. What the record holds stays as it is.
func (b *bundle) add(run int, r *record.Record, at map[string]int) error {
	lanes, blobs := make([]int, len(r.Lanes)), make([]int, len(r.Blobs))
	for i, l := range r.Lanes {
		lanes[i] = b.lanes[l]
	}
	for i, blob := range r.Blobs {
		blobs[i] = at[string(blob)]
	}
	moved := r.Renumbered(lanes, blobs)
	out := &bundled{End: r.End, Lists: map[string][]int{}}
	b.Runs[run] = out
	for _, list := range []struct {
		name string
		rows []any
	}{
		{"notes", rowsOf(moved.Notes)}, {"attempts", rowsOf(moved.Attempts)},
		{"links", rowsOf(moved.Links)}, {"keys", rowsOf(moved.Keys)}, {"checks", rowsOf(moved.Checks)}, {"values", rowsOf(moved.Values)},
	} {
		numbers, err := b.list(list.name, list.rows)
		if err != nil {
			return err
		}
		out.Lists[list.name] = ranges(numbers)
	}
	steps, err := b.stepRows(moved.Steps)
	out.Lists["steps"] = ranges(steps)
	return err
}

// stepRows numbers the steps of a run among the distinct ones.
func (b *bundle) stepRows(steps []record.Step) ([]int, error) {
	if b.rows["steps"] == nil {
		b.rows["steps"] = map[string]int{}
	}
	known := b.rows["steps"]
	numbers := make([]int, len(steps))
	for i := range steps {
		text, err := json.Marshal(&steps[i])
		if err != nil {
			return nil, err
		}
		n, ok := known[string(text)]
		if !ok {
			n = len(b.steps)
			known[string(text)] = n
			b.steps = append(b.steps, steps[i])
		}
		numbers[i] = n
	}
	return numbers, nil
}

func rowsOf[T any](list []T) []any {
	all := make([]any, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

func (b *bundle) list(name string, rows []any) ([]int, error) {
	if b.rows[name] == nil {
		b.rows[name], b.Rows[name] = map[string]int{}, []json.RawMessage{}
	}
	pool := b.Rows[name]
	numbers := make([]int, len(rows))
	for i, row := range rows {
		text, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		numbers[i] = intern(b.rows[name], &pool, text)
	}
	b.Rows[name] = pool
	return numbers, nil
}

func intern(known map[string]int, pool *[]json.RawMessage, text []byte) int {
	i, ok := known[string(text)]
	if !ok {
		i = len(*pool)
		known[string(text)] = i
		*pool = append(*pool, text)
	}
	return i
}

// ranges makes pairs of a first number and a count of numbers that follow on
// each other.
func ranges(numbers []int) []int {
	all := []int{}
	for _, n := range numbers {
		if last := len(all) - 2; last >= 0 && all[last]+all[last+1] == n {
			all[last+1]++
			continue
		}
		all = append(all, n, 1)
	}
	return all
}

// pack is the bundle as the page holds it: JSON, gzip, and base64 in the alphabet
// that HTML leaves alone.
func (b *bundle) pack() (string, error) {
	b.sortLanes()
	at := b.sortBlobs()
	for _, m := range b.records {
		if err := b.add(m.run, m.record, at); err != nil {
			return "", err
		}
	}
	b.Steps = columnsOf(b.steps)
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false) // nothing of it is HTML before it is unpacked
	if err := e.Encode(b); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(out.Bytes()), nil
}

// rowKey names a row of the matrix: one scenario of one file.
type rowKey struct{ controller, scenario, path string }

// bundling gathers the records of a page, a bundle for each scenario.
type bundling struct {
	at  map[rowKey]int
	all []*bundle
}

// add returns the number of the bundle that a run's record goes into, or -1.
func (b *bundling) add(i int, r Run) int {
	if r.Record == nil {
		return -1
	}
	key := rowKey{r.Controller, r.Scenario, r.Path}
	at, known := b.at[key]
	if !known {
		at = len(b.all)
		b.at[key] = at
		b.all = append(b.all, newBundle())
	}
	b.all[at].records = append(b.all[at].records, member{i, r.Record})
	return at
}

func (b *bundling) pack() ([]string, error) {
	all := make([]string, len(b.all))
	for i, one := range b.all {
		var err error
		if all[i], err = one.pack(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
