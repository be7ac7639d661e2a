// A List shows the events as lines, of which only those in sight exist.
const HIGH = 22;

class List {
  constructor(choose) {
    this.choose = choose;
    this.items = [];
    this.inner = el('div', { role: 'presentation' });
    this.box = el('div', { class: 'list mono', role: 'listbox', tabindex: 0, id: 'events', 'aria-label': 'Events' }, this.inner);
    this.title = el('h3', {}, 'Events');
    this.root = el('div', { class: 'panel' }, this.title, this.box);
    this.box.addEventListener('scroll', () => this.draw());
    this.box.addEventListener('keydown', (e) => {
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, End: 1e9, Home: -1e9 }[e.key];
      if (by) { e.preventDefault(); this.move(by); }
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  // fill takes the events that pass the filter; differs marks those from a step on.
  fill(record, filter, part) {
    this.record = record;
    this.part = part;
    this.items = record.items.filter((x) => (x.sort === 'step' ? filter.step(record.steps[x.index]) : filter.note(record.notes[x.index])));
    this.title.textContent = `Events: ${this.items.length} of ${record.items.length}`;
    this.inner.style.height = `${this.items.length * HIGH}px`;
    this.at = this.items.findIndex((x) => this.selected && x.sort === this.selected.sort && x.index === this.selected.index);
    this.draw();
  }

  select(s) {
    this.selected = s;
    this.at = s ? this.items.findIndex((x) => x.sort === s.sort && x.index === s.index) : -1;
    if (this.at >= 0) {
      const y = this.at * HIGH, box = this.box;
      if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - HIGH) box.scrollTop = y - box.clientHeight / 2;
    }
    this.draw();
  }

  // move selects an event further down or up. Without one it starts at the top.
  move(by) {
    if (!this.items.length) return;
    const from = this.at ?? -1;
    const to = Math.max(0, Math.min(this.items.length - 1, from < 0 ? (by > HIGH ? by : 0) : from + by));
    this.choose(this.items[to]);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / HIGH) - 4);
    const last = Math.min(this.items.length, first + Math.ceil(this.box.clientHeight / HIGH) + 8);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.row(i));
    this.inner.replaceChildren(...rows);
    this.box.setAttribute('aria-activedescendant', this.at >= first && this.at < last ? `event-${this.at}` : '');
    if (!(this.at >= first && this.at < last)) this.box.removeAttribute('aria-activedescendant');
  }

  row(i) {
    const item = this.items[i], r = this.record, line = itemLine(r, item);
    const bad = item.sort === 'step' ? r.steps[item.index].failed || r.steps[item.index].missed : r.notes[item.index].op === 'error';
    const differs = this.part !== undefined && item.sort === 'step' && item.index >= this.part;
    const row = el('div', {
      class: `row ${item.sort}${bad ? ' failed' : ''}${differs ? ' differs' : ''}`, role: 'option', id: `event-${i}`, title: line,
      'aria-selected': String(i === this.at), 'aria-setsize': this.items.length, 'aria-posinset': i + 1, onclick: () => this.choose(item),
    }, el('span', {}, instant(item.at)), el('span', {}, itemProcess(r, item)), el('span', {}, line));
    row.style.top = `${i * HIGH}px`;
    return row;
  }
}
