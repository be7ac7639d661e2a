// A Chart draws one record into an SVG: only what is in the window, and of what
// falls onto the same pixels one mark. So the number of elements depends on the
// size of the screen and not on that of the run.
const NEAR = 6, TOP = 40;

class Chart {
  constructor(name, record, options) {
    this.record = record;
    this.options = options; // { run, mode, filter, arrows, select, moved }
    this.svg = svg('svg', { 'aria-hidden': 'true' });
    this.surface = el('div', { class: 'surface', tabindex: 0, role: 'group', 'aria-label': `Timeline of ${options.run}. Arrow keys go from event to event, plus and minus zoom, zero shows all.` }, this.svg);
    this.root = el('div', { class: 'chart' }, name ? el('div', { class: 'name' }, name) : null, this.surface);
    this.selected = null;
    this.rebuild();
    this.fit();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.surface);
  }

  // rebuild takes new options in.
  rebuild() {
    const window = this.scale && { from: this.at(this.from), to: this.at(this.to) };
    this.scale = new Scale(this.record, this.options.mode);
    this.lanes = arrange(this.record, this.scale, this.options.filter);
    if (window) { this.from = this.scale.time(window.from); this.to = Math.max(this.scale.time(window.to), this.from + this.least()); this.draw(); }
  }

  // at is the virtual time of a place: the inverse of the scale.
  at(u) {
    if (this.scale.linear) return u;
    let lo = 0, hi = this.record.end;
    for (let i = 0; i < 50; i++) { const mid = (lo + hi) / 2; if (this.scale.time(mid) < u) lo = mid; else hi = mid; }
    return lo;
  }

  least() { return this.scale.linear ? 50 : 4; }

  fit() { const pad = this.scale.last * 0.015; this.show(-pad, this.scale.last + pad); }

  // free lets the window go beyond the run: two that are aligned need that.
  show(from, to, free) {
    if (free) { this.from = from; this.to = to; this.draw(); return; }
    const all = this.scale.last, least = this.least();
    const size = Math.min(Math.max(to - from, least), all * 1.06 + least);
    this.from = Math.max(-all * 0.05 - least, Math.min(from, all * 1.05 + least - size));
    this.to = this.from + size;
    this.draw();
  }

  zoom(factor, around) {
    const chosen = this.where();
    const middle = around ?? (chosen >= this.from && chosen <= this.to ? chosen : (this.from + this.to) / 2);
    this.show(middle - (middle - this.from) / factor, middle + (this.to - middle) / factor);
    this.options.moved?.(this);
  }

  pan(part) { const by = (this.to - this.from) * part; this.show(this.from + by, this.to + by); this.options.moved?.(this); }

  x(u) { return this.gutter + ((u - this.from) / (this.to - this.from)) * (this.width - this.gutter); }

  u(x) { return this.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.to - this.from); }

  draw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => { this.drawing = 0; this.paint(); });
  }

  paint() {
    this.width = Math.max(300, this.surface.clientWidth || 300);
    this.gutter = this.width < 640 ? 110 : 215;
    this.place();
    this.svg.setAttribute('height', this.height);
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    const clip = svg('clipPath', { id: this.clipID ||= `clip-${Chart.count = (Chart.count || 0) + 1}` }, svg('rect', { x: this.gutter, y: 0, width: this.width - this.gutter, height: this.height }));
    const inside = svg('g', { 'clip-path': `url(#${this.clipID})` }, this.ticks(), this.parts(), this.lanes.map((l) => this.lane(l)), this.arrows(), this.violations(), this.selection());
    this.svg.replaceChildren(svg('defs', {}, clip, head('accent'), head('bad')), this.labels(), inside);
  }

  // place gives each lane its height.
  place() {
    let y = TOP, group = null;
    this.groups = [];
    this.top = new Map();
    for (const l of this.lanes) {
      const name = groupName(l.lane);
      if (name !== group) {
        if (name) { this.groups.push({ name, y }); y += HEAD; }
        group = name;
      }
      l.y = y;
      this.top.set(l.index, l);
      y += l.height;
    }
    this.height = y + 8;
  }

  labels() {
    const room = Math.floor((this.gutter - 26) / 6.9);
    const text = (x, y, cls, s) => svg('text', { x, y, class: cls }, svg('title', {}, s), s.length > room ? s.slice(0, room - 1) + '…' : s);
    return svg('g', {},
      this.groups.map((g) => [svg('rect', { class: 'band', x: 0, y: g.y + 2, width: this.width, height: HEAD - 4 }), svg('text', { x: 8, y: g.y + 15, class: 'head' }, g.name)]),
      this.lanes.map((l) => [svg('line', { class: 'rule', x1: 0, x2: this.width, y1: l.y + l.height, y2: l.y + l.height }), text(18, l.y + (l.tall ? 49 : 15), 'soft', laneName(l.lane))]));
  }

  ticks() {
    const room = (92 / (this.width - this.gutter)) * (this.to - this.from);
    return this.scale.ticks(this.from, this.to, room).map(([u, at]) => {
      const x = this.x(u);
      return [svg('line', { class: 'tick', x1: x, x2: x, y1: TOP - 4, y2: this.height }), svg('text', { x: x > this.width - 50 ? x - 3 : x + 3, y: TOP - 8, class: 'soft', 'text-anchor': x > this.width - 50 ? 'end' : 'start' }, span(at))];
    }).flat();
  }

  // lane draws the part of a lane that is in the window.
  lane(l) {
    const middle = l.tall ? l.y + 44 : l.y + l.height / 2;
    const bars = l.bars.filter((b) => b.to >= this.from && b.u <= this.to).map((b) => {
      const x = this.x(Math.max(b.u, this.from - 1));
      return svg('rect', { class: `gapbar ${b.cls}`, x, y: middle - 4, width: Math.max(1, this.x(b.to) - x), height: 8, rx: 2 });
    });
    return svg('g', {}, this.thin(bars, 600), this.curves(l), this.attempts(l), this.marks(l, middle));
  }

  thin(list, most) { return list.length <= most ? list : list.filter((_, i) => i % Math.ceil(list.length / most) === 0); }

  attempts(l) {
    const out = [];
    let last = -1e9;
    for (const a of l.attempts) {
      if (a.to < this.from || a.u > this.to) continue;
      const x = this.x(Math.max(a.u, this.from - 1)), to = this.x(Math.min(a.to, this.to + 1));
      if (to - last < 1.2 && a.cls !== 'dropped') continue;
      last = to;
      const y = l.y + l.bar + a.row * ROW;
      out.push(svg('rect', { class: `att ${a.cls}`, x, y, width: Math.max(3, to - x), height: 11, rx: 2, 'data-sort': 'attempt', 'data-index': a.index }, svg('title', {}, a.title)));
      if (a.cls === 'dropped') out.push(svg('text', { x: to + 3, y: y + 10, class: 'bad' }, '✕ dropped'));
    }
    return out;
  }

  curves(l) {
    const high = l.bar - 12, base = l.y + l.bar - 5;
    return l.curves.filter((c) => c.points[c.points.length - 1][0] >= this.from && c.points[0][0] <= this.to).map((c) => {
      const d = c.points.map(([u, h], i) => `${i ? 'L' : 'M'}${this.x(u).toFixed(1)} ${(base - h * high).toFixed(1)}`).join('');
      const from = this.x(c.points[0][0]), to = this.x(c.points[c.points.length - 1][0]);
      const cap = c.cap ? [svg('line', { class: 'cap', x1: from, x2: to, y1: base - high, y2: base - high }, svg('title', {}, `at most ${span(c.cap)}`))] : [];
      return [svg('path', { class: 'curve', d }), ...cap, this.thin(c.points.slice(1), 100).map(([u, h]) => svg('circle', { class: 'dot', cx: this.x(u), cy: base - h * high, r: 2 }))].flat();
    }).flat();
  }

  marks(l, middle) {
    const out = [];
    let group = null;
    const flush = (next) => {
      if (!group) return;
      const m = group.mark, r = m.cls.includes('missed') ? 6 : 4.5;
      out.push(shape(m.shape, group.x, middle, r, { class: `m ${m.cls}`, 'data-sort': m.sort, 'data-index': m.index }));
      out[out.length - 1].append(svg('title', {}, group.n > 1 ? `${m.title}\nand ${group.n - 1} more here: double-click to zoom` : m.title));
      if (group.n > 2 && next - group.x > 16) out.push(svg('text', { class: 'count', x: group.x + 6, y: middle - 4 }, group.n));
      if (group.bolt) out.push(shape('bolt', group.x, middle - 8, 0, { class: 'bolt', 'data-sort': group.bolt.sort, 'data-index': group.bolt.index }));
    };
    for (let i = lower(l.marks, this.from); i < l.marks.length && l.marks[i].u <= this.to; i++) {
      const m = l.marks[i], x = this.x(m.u);
      if (group && x - group.x < NEAR) {
        group.n++;
        if (urgent(m.cls) > urgent(group.mark.cls)) group.mark = m;
        if (m.bolt) group.bolt = m;
        continue;
      }
      flush(x);
      group = { x, n: 1, mark: m, bolt: m.bolt ? m : null };
    }
    flush(Infinity);
    return out;
  }

  // arrows: what led to the selected event and to what it led, all of them if
  // that is chosen, and always the events that should have woken a dropped key.
  arrows() {
    const out = [], r = this.record, s = this.selected;
    const links = r.links.filter((l) => this.related(l, s));
    const all = this.options.arrows ? this.thin(r.links.filter((l) => this.inside(r.steps[l.from].i)), 400) : [];
    for (const l of all) if (!links.includes(l)) out.push(this.link(l, 'arrow faint'));
    for (const l of links) out.push(this.link(l, 'arrow'));
    for (const k of r.keys) for (const [n, i] of (k.missed || []).slice(0, 8).entries()) out.push(this.missed(k, i, n));
    return out.flat().filter(Boolean);
  }

  inside(i) { const u = this.scale.step(i); return u >= this.from && u <= this.to; }

  related(l, s) {
    if (!s) return false;
    if (s.sort === 'attempt') return l.sort === 'wake' && l.to === s.index;
    return s.sort === 'step' && (l.from === s.index || (l.sort === 'write' && l.to === s.index));
  }

  spot(laneIndex, u, into) {
    const l = this.top.get(laneIndex);
    if (!l) return null;
    return [this.x(u), l.lane.sort === 'queue' ? l.y + l.bar + (into ? 0 : 6) : l.y + l.height / 2];
  }

  link(l, cls) {
    const from = this.record.steps[l.from], u = this.scale.step(l.from);
    const write = l.sort === 'write';
    const start = this.spot(write && from.changes ? from.changes[0].lane : from.lane, u);
    const a = write ? null : this.record.attempts[l.to];
    const end = write ? this.spot(this.record.steps[l.to].lane, this.scale.step(l.to)) : this.spot(a.lane, this.scale.between(a.firstStep, a.from), true);
    return start && end && svg('path', { class: cls, d: bow(start, end), 'marker-end': cls === 'arrow faint' ? null : 'url(#head-accent)' });
  }

  missed(k, i, n) {
    const u = this.scale.step(i), start = this.spot(this.record.steps[i].lane, u), end = this.spot(k.lane, u, true);
    if (!start || !end || start[0] < this.gutter || start[0] > this.width) return null;
    end[0] += 16;
    const says = `should have woken ${k.name}`;
    const room = 7.2 * says.length, left = end[0] + room > this.width && end[0] - room > this.gutter;
    const at = left ? end[0] : Math.max(this.gutter + 4, Math.min(end[0], this.width - room));
    const label = n === 0 && svg('text', { class: 'bad', x: at, y: this.top.get(k.lane).y + 16, 'text-anchor': left ? 'end' : 'start' }, says);
    return [svg('path', { class: 'arrow dropped', d: bow(start, end), 'marker-end': 'url(#head-bad)' }), label];
  }

  violations() {
    const out = [];
    let row = 0, last = -1e9;
    for (const c of this.record.checks.filter((x) => !x.ok).sort((a, b) => a.at - b.at)) {
      const x = this.x(this.scale.time(c.at));
      if (x < this.gutter || x > this.width) continue;
      row = x - last < 220 ? (row + 1) % 2 : 0;
      last = x;
      const left = x > this.width - 220;
      out.push(svg('line', { class: 'violation', x1: x, x2: x, y1: 4, y2: this.height }), svg('text', { class: 'bad', x: x + (left ? -4 : 4), y: 12 + row * 12, 'text-anchor': left ? 'end' : 'start' }, `✕ ${c.name}, ${span(c.at)}`));
    }
    return out;
  }

  // parts marks where two runs part.
  parts() {
    if (this.options.part === undefined) return null;
    const u = this.options.part < this.record.steps.length ? this.scale.step(this.options.part) - 0.4 : this.scale.last;
    const x = this.x(u), right = x - this.gutter < 110;
    return [svg('line', { class: 'part', x1: x, x2: x, y1: 4, y2: this.height }), svg('text', { class: 'warn', x: x + (right ? 4 : -4), y: 12, 'text-anchor': right ? 'start' : 'end' }, 'first difference')];
  }

  selection() {
    const s = this.selected;
    if (!s) return null;
    if (s.sort === 'attempt') {
      const l = this.lanes.find((x) => x.index === this.record.attempts[s.index].lane), a = l && l.attempts.find((x) => x.index === s.index);
      return a && svg('rect', { class: 'sel', x: this.x(a.u) - 2, y: l.y + l.bar - 2 + a.row * ROW, width: Math.max(7, this.x(a.to) - this.x(a.u) + 4), height: 15, rx: 3 });
    }
    const thing = (s.sort === 'step' ? this.record.steps : this.record.notes)[s.index];
    const spot = this.spot(thing.lane, s.sort === 'step' ? this.scale.step(s.index) : this.scale.between(thing.after, thing.at));
    return spot && svg('circle', { class: 'sel', cx: spot[0], cy: spot[1], r: 9 });
  }

  // select marks an event and brings it into the window.
  select(s) {
    this.selected = s;
    const u = this.where(), size = this.to - this.from;
    if (u < this.from || u > this.to) this.show(u - size / 2, u + size / 2);
    this.draw();
  }

  // where is the place of the selected event on the axis, of whichever scale.
  where() {
    const s = this.selected;
    if (!s) return undefined;
    if (s.sort === 'step') return this.scale.step(s.index);
    const thing = (s.sort === 'note' ? this.record.notes : this.record.attempts)[s.index];
    return this.scale.time(thing.at ?? thing.from);
  }

  listen() {
    const hit = (e) => { const t = e.target.closest('[data-sort]'); return t && { sort: t.dataset.sort, index: Number(t.dataset.index) }; };
    this.svg.addEventListener('click', (e) => { const s = hit(e); if (s && !this.moved) this.options.select(s, this); });
    this.svg.addEventListener('dblclick', (e) => this.zoom(3, this.u(e.offsetX)));
    this.surface.addEventListener('wheel', (e) => {
      if (e.ctrlKey || e.metaKey) { e.preventDefault(); this.zoom(e.deltaY < 0 ? 1.25 : 0.8, this.u(e.offsetX)); }
      else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); this.pan(e.deltaX / this.width); }
    }, { passive: false });
    this.svg.addEventListener('pointerdown', (e) => {
      if (e.button !== 0) return;
      const start = { x: e.clientX, from: this.from, to: this.to };
      this.moved = false;
      const move = (m) => {
        const dx = m.clientX - start.x;
        if (Math.abs(dx) > 4) { this.moved = true; this.svg.classList.add('drag'); }
        const by = (-dx / (this.width - this.gutter)) * (start.to - start.from);
        if (this.moved) { this.show(start.from + by, start.to + by); this.options.moved?.(this); }
      };
      const up = () => { this.svg.classList.remove('drag'); removeEventListener('pointermove', move); removeEventListener('pointerup', up); removeEventListener('pointercancel', up); };
      addEventListener('pointermove', move); addEventListener('pointerup', up); addEventListener('pointercancel', up);
    });
    this.surface.addEventListener('keydown', (e) => this.key(e));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const does = {
      '+': () => this.zoom(1.5), '=': () => this.zoom(1.5), '-': () => this.zoom(1 / 1.5), 0: () => { this.fit(); this.options.moved?.(this); },
      ArrowRight: () => (e.shiftKey ? this.pan(0.2) : this.options.step(1, this)), ArrowLeft: () => (e.shiftKey ? this.pan(-0.2) : this.options.step(-1, this)),
    }[e.key];
    if (does) { e.preventDefault(); does(); }
  }
}

// lower is the first mark at or right of a place.
function lower(marks, u) {
  let lo = 0, hi = marks.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (marks[mid].u < u) lo = mid + 1; else hi = mid; }
  return lo;
}

function bow([x1, y1], [x2, y2]) {
  const dy = Math.max(14, Math.abs(y2 - y1) * 0.4) * (y2 >= y1 ? 1 : -1);
  return `M${x1.toFixed(1)} ${y1.toFixed(1)}C${x1.toFixed(1)} ${(y1 + dy).toFixed(1)} ${x2.toFixed(1)} ${(y2 - dy).toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
}

function head(name) {
  return svg('marker', { id: `head-${name}`, viewBox: '0 0 8 8', refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { class: `head-${name}`, d: 'M0 0L8 4L0 8Z' }));
}
