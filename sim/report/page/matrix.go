package page

// A block is the matrix of one type of controller: a row a scenario, a column a
// variant.
type block struct {
	Controller string
	Variants   []string
	Rows       []*row
}

type row struct {
	Scenario, Path string
	Cells          []cell // in the order of the block's variants
	byVariant      map[string]cell
}

// A cell stands for all runs of a scenario under a variant; it leads to the one
// that is worst.
type cell struct {
	Ran        bool
	Run        int
	Text       string
	Unexpected bool
}

// blocks makes the matrix, in the order of the runs.
func blocks(runs []Run) []block {
	var all []*block
	find := func(controller string) *block {
		for _, b := range all {
			if b.Controller == controller {
				return b
			}
		}
		all = append(all, &block{Controller: controller})
		return all[len(all)-1]
	}
	for i, r := range runs {
		b := find(r.Controller)
		b.row(r).add(i, r)
		b.variant(r.Variant)
	}
	out := make([]block, len(all))
	for i, b := range all {
		for _, r := range b.Rows {
			for _, v := range b.Variants {
				r.Cells = append(r.Cells, r.byVariant[v])
			}
		}
		out[i] = *b
	}
	return out
}

func (b *block) row(r Run) *row {
	for _, known := range b.Rows {
		if known.Scenario == r.Scenario && known.Path == r.Path {
			return known
		}
	}
	b.Rows = append(b.Rows, &row{Scenario: r.Scenario, Path: r.Path, byVariant: map[string]cell{}})
	return b.Rows[len(b.Rows)-1]
}

func (b *block) variant(name string) {
	for _, known := range b.Variants {
		if known == name {
			return
		}
	}
	b.Variants = append(b.Variants, name)
}

// add counts a run into its cell: the cell is green only if all its runs are.
func (r *row) add(i int, run Run) {
	c := r.byVariant[run.Variant]
	unexpected := !run.AsExpected()
	if !c.Ran || unexpected && !c.Unexpected || c.Text == "green" && !run.Green() {
		c.Run, c.Text = i, colour(run.Result)
	}
	c.Ran, c.Unexpected = true, c.Unexpected || unexpected
	r.byVariant[run.Variant] = c
}
