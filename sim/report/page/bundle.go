package page

import (
	"encoding/json"
	"errors"
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
	// Lists are the distinct rows of each list.
	Lists map[string]*table `json:"lists"`
	Runs  map[int]*bundled  `json:"runs"`

	records []member
	lanes   map[record.Lane]int

	steps    distinct[record.Step]
	notes    distinct[record.Note]
	attempts distinct[record.Attempt]
	links    distinct[record.Link]
	keys     distinct[record.Key]
	checks   distinct[record.Check]
	values   distinct[record.Values]
}

// A member is a run before it is put into its bundle.
type member struct {
	run    int
	record *record.Record
}

// bundled is one run: of each list the rows as ranges.
type bundled struct {
	End   float64          `json:"end"`
	Lists map[string][]int `json:"lists"`
}

func newBundle() *bundle {
	return &bundle{
		Lanes: []record.Lane{}, Blobs: []json.RawMessage{}, Lists: map[string]*table{}, Runs: map[int]*bundled{},
		lanes: map[record.Lane]int{},
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
			if _, known := b.lanes[l]; !known {
				b.lanes[l] = 0
				b.Lanes = append(b.Lanes, l)
			}
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
	return errors.Join(
		take(out, "steps", &b.steps, moved.Steps), take(out, "notes", &b.notes, moved.Notes),
		take(out, "attempts", &b.attempts, moved.Attempts), take(out, "links", &b.links, moved.Links),
		take(out, "keys", &b.keys, moved.Keys), take(out, "checks", &b.checks, moved.Checks),
		take(out, "values", &b.values, moved.Values))
}

// distinct are rows of which no two are equal.
type distinct[T any] struct {
	rows   []T
	byText map[string]int
}

// take numbers the rows of a run among the distinct ones.
func take[T any](run *bundled, name string, d *distinct[T], rows []T) error {
	if d.byText == nil {
		d.byText = map[string]int{}
	}
	numbers := make([]int, len(rows))
	for i := range rows {
		text, err := json.Marshal(&rows[i])
		if err != nil {
			return err
		}
		n, known := d.byText[string(text)]
		if !known {
			n = len(d.rows)
			d.byText[string(text)] = n
			d.rows = append(d.rows, rows[i])
		}
		numbers[i] = n
	}
	run.Lists[name] = ranges(numbers)
	return nil
}

// ranges makes pairs of numbers that follow on each other: how far the first is
// from where the pair before ended, and their count.
func ranges(numbers []int) []int {
	all, next := []int{}, 0
	for i, n := range numbers {
		if i > 0 && n == next {
			all[len(all)-1]++
		} else {
			all = append(all, n-next, 1)
		}
		next = n + 1
	}
	return all
}

// put makes the table of a list.
func put[T any](b *bundle, name string, rows []T) error {
	var err error
	b.Lists[name], err = tabled(rows)
	return err
}

// pack is the bundle as the page holds it.
func (b *bundle) pack() (string, error) {
	b.sortLanes()
	at := b.sortBlobs()
	for _, m := range b.records {
		if err := b.add(m.run, m.record, at); err != nil {
			return "", err
		}
	}
	if err := errors.Join(
		put(b, "steps", guessed(b.steps.rows)), put(b, "notes", b.notes.rows), put(b, "attempts", b.attempts.rows),
		put(b, "links", b.links.rows), put(b, "keys", b.keys.rows), put(b, "checks", b.checks.rows), put(b, "values", b.values.rows),
	); err != nil {
		return "", err
	}
	return squeezed(b)
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
