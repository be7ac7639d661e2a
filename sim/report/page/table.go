package page

import (
	"encoding/json"
	"reflect"
	"strings"
)

// A table is rows of one type by field: values of one sort beside each other
// compress to less than half of what they do in rows. The page's script makes
// rows of it again.
type table struct {
	N       int      `json:"n"`
	Columns []column `json:"columns"`
}

// A column is one field of all rows, in one of these forms.
type column struct {
	Name string `json:"name"`
	// Numbers are there as they are, or as what each is more than the one before.
	Numbers json.RawMessage `json:"numbers,omitempty"`
	Deltas  json.RawMessage `json:"deltas,omitempty"`
	// Other values are numbers of a pool of distinct ones.
	Pool  []json.RawMessage `json:"pool,omitempty"`
	Index []int             `json:"index,omitempty"`
	// A field that is itself rows, or of which there is one or none: how many each
	// row has, and the rows of all together.
	Counts []int  `json:"counts,omitempty"`
	One    bool   `json:"one,omitempty"`
	Rows   *table `json:"rows,omitempty"`
}

// tabled makes a table of rows, which are structures. The fields have the names
// that they have in JSON; one that may be left out there and that no row has is
// no column.
func tabled[T any](rows []T) (*table, error) {
	return tableOf(reflect.TypeFor[T](), reflect.ValueOf(rows))
}

func tableOf(row reflect.Type, rows reflect.Value) (*table, error) {
	t := &table{N: rows.Len(), Columns: []column{}}
	for f := range row.NumField() {
		tag := row.Field(f).Tag.Get("json")
		name, optional := strings.CutSuffix(tag, ",omitempty")
		values := make([]reflect.Value, rows.Len())
		some := false
		for i := range values {
			values[i] = rows.Index(i).Field(f)
			some = some || !values[i].IsZero()
		}
		if optional && !some {
			continue
		}
		c, err := columnOf(row.Field(f).Type, values)
		if err != nil {
			return nil, err
		}
		c.Name = name
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

func columnOf(field reflect.Type, values []reflect.Value) (column, error) {
	switch {
	case field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.Struct:
		return nested(field.Elem(), values, false)
	case field.Kind() == reflect.Pointer:
		return nested(field.Elem(), values, true)
	case reflect.Zero(field).CanInt() || reflect.Zero(field).CanUint() || reflect.Zero(field).CanFloat():
		return numeric(values)
	}
	return pooled(values)
}

// nested puts the rows that are in the rows one behind the other.
func nested(row reflect.Type, values []reflect.Value, one bool) (column, error) {
	c := column{One: one}
	all := reflect.MakeSlice(reflect.SliceOf(row), 0, len(values))
	for _, v := range values {
		before := all.Len()
		switch {
		case !one:
			all = reflect.AppendSlice(all, v)
		case !v.IsNil():
			all = reflect.Append(all, v.Elem())
		}
		c.Counts = append(c.Counts, all.Len()-before)
	}
	var err error
	c.Rows, err = tableOf(row, all)
	return c, err
}

// numeric takes the form whose text is shorter: instants follow on each other,
// numbers of objects jump.
func numeric(values []reflect.Value) (column, error) {
	plain, deltas := make([]float64, len(values)), make([]float64, len(values))
	last := 0.0
	for i, v := range values {
		plain[i] = v.Convert(reflect.TypeFor[float64]()).Float()
		deltas[i], last = thousandths(plain[i]-last), plain[i]
	}
	short, err := json.Marshal(plain)
	if err != nil {
		return column{}, err
	}
	other, err := json.Marshal(deltas)
	if err != nil || len(short) <= len(other) {
		return column{Numbers: short}, err
	}
	return column{Deltas: other}, nil
}

func pooled(values []reflect.Value) (column, error) {
	c := column{Pool: []json.RawMessage{}, Index: make([]int, len(values))}
	known := map[string]int{}
	for i, v := range values {
		text, err := json.Marshal(v.Interface())
		if err != nil {
			return c, err
		}
		n, ok := known[string(text)]
		if !ok {
			n = len(c.Pool)
			known[string(text)] = n
			c.Pool = append(c.Pool, text)
		}
		c.Index[i] = n
	}
	return c, nil
}

// thousandths rounds: microseconds have nanoseconds behind the point, and
// differences of floating point numbers have digits that mean nothing.
func thousandths(x float64) float64 {
	n := int64(x*1000 + 0.5)
	if x < 0 {
		n = int64(x*1000 - 0.5)
	}
	return float64(n) / 1000
}
