// A Viewer shows one run, or two beside each other.
class Viewer {
  constructor() {
    this.root = byID('viewer');
    this.state = { mode: 'compact', process: '', kind: '', object: '', logs: true, arrows: false };
    this.details = new Details((s) => this.select(s));
    this.list = new List((s) => this.select(s));
  }

  // open shows a run; the other one, if there is one, beside it.
  async open(index, other) {
    const token = (this.token = {});
    const run = await load(index), second = other === undefined ? null : await load(other);
    if (token !== this.token) return; // another one was asked for meanwhile
    this.run = run;
    this.second = second && second.record ? second : null;
    this.selected = null;
    this.details.show(null, null);
    this.draw();
    for (const cell of document.querySelectorAll('.cell')) cell.classList.toggle('open', cell.getAttribute('href') === `#run-${index}`);
  }

  draw() {
    const run = this.run;
    this.root.hidden = false;
    const parts = [this.title(run), run.note.startsWith('not') ? el('p', { class: 'warn' }, run.note) : null, run.detail ? el('pre', { class: 'warn' }, run.detail) : null];
    if (!run.record || run.record.steps.length === 0) {
      this.root.replaceChildren(...parts.filter(Boolean), el('p', {}, 'There is no timeline of this run.'));
      return;
    }
    this.part = this.second ? firstDifference(run.record, this.second.record) : undefined;
    this.charts = this.second ? [this.chart(run), this.chart(this.second)] : [this.chart(run)];
    this.root.replaceChildren(...[
      ...parts, this.checks(run.record), this.controls(run),
      this.second ? parting(run, this.second, this.part) : null,
      el('div', { class: `charts${this.second ? ' two' : ''}` }, this.charts.map((c) => c.root)), keys(),
      el('div', { class: 'below' }, this.list.root, this.details.root),
    ].filter(Boolean));
    this.refresh();
    if (this.second) align(this.charts, this.part);
  }

  title(run) {
    return el('div', { class: 'title' },
      el('h2', { id: 'viewer-title', tabindex: -1 }, `${run.scenario}, variant ${run.variant}`),
      el('span', { class: `tag ${run.verdict}` }, run.verdict),
      el('span', { class: 'soft' }, `${run.note.startsWith('not') ? '' : `${run.note}, `}${run.virtual} of virtual time, ${run.steps} steps, hash ${run.hash}`),
      run.replay ? el('code', { id: 'replay' }, run.replay) : null);
  }

  checks(record) {
    return el('ul', { class: 'checks' }, record.checks.map((c) => {
      const [first, ...rest] = c.message.split('\n');
      const line = [el('b', {}, `${c.ok ? '✓' : '✕'} ${c.name}`), `: ${first} `, el('span', { class: 'soft' }, `(${c.file ? `${c.file}:${c.line}, ` : ''}at ${span(c.at)})`)];
      return el('li', { class: c.ok ? null : 'no' }, rest.length ? el('details', { open: !c.ok }, el('summary', {}, line), el('pre', {}, rest.join('\n'))) : line);
    }));
  }

  controls(run) {
    const r = run.record, s = this.state;
    const set = (name) => (e) => { s[name] = e.target.type === 'checkbox' ? e.target.checked : e.target.value; this.changed(); };
    const all = (pick) => [...new Set(r.steps.flatMap(pick).filter(Boolean))].sort();
    const kinds = all((x) => [x.verb === 'call' ? '' : x.kind, ...(x.changes || []).map((c) => c.kind)]), processes = [...new Set([...r.steps, ...r.notes].map((x) => x.process))].sort();
    if (!kinds.includes(s.kind)) s.kind = '';
    if (!processes.includes(s.process)) s.process = '';
    const choose = (label, name, values) => el('label', {}, label, el('select', { id: name, onchange: set(name) }, option('', 'all', !s[name]), values.map((v) => option(v, v, v === s[name]))));
    const others = pack.runs.filter((x) => x.scenario === run.scenario && x.path === run.path && x.index !== run.index);
    const press = (id, text, title, does) => el('button', { type: 'button', id, title, onclick: does }, text);
    const dropped = r.keys.find((k) => k.missed && k.missed.length), broken = r.checks.some((c) => !c.ok);
    return el('div', { class: 'bar', role: 'group', 'aria-label': 'What the timeline shows' },
      choose('Process', 'process', processes), choose('Kind', 'kind', kinds),
      el('label', {}, 'Object', el('input', { id: 'object', type: 'search', value: s.object, placeholder: 'name or part of it', oninput: set('object') })),
      el('label', {}, el('input', { type: 'checkbox', id: 'logs', checked: s.logs, onchange: set('logs') }), 'logs'),
      el('label', {}, el('input', { type: 'checkbox', id: 'arrows', checked: s.arrows, onchange: set('arrows') }), 'all arrows'),
      el('label', {}, 'Axis', el('select', { id: 'mode', onchange: set('mode') }, option('compact', 'silence shortened', s.mode === 'compact'), option('linear', 'true to scale', s.mode === 'linear'))),
      el('span', { class: 'gap' }),
      others.length ? el('label', {}, 'Compare with', el('select', { id: 'compare', onchange: (e) => { location.hash = e.target.value === '' ? `run-${run.index}` : `run-${run.index}+${e.target.value}`; } }, option('', 'nothing', !this.second), others.map((x) => option(x.index, `${x.variant} (${x.verdict})`, this.second === x)))) : null,
      dropped ? press('dropped', 'Dropped event', 'go to the event that should have woken a key', () => this.goto(dropped.missed[0])) : null,
      broken ? press('violation', 'Violation', 'go to the first check that failed', () => this.violation()) : null,
      this.details.mask,
      press('zoom-in', '+', 'zoom in', () => this.zoom(1.6)), press('zoom-out', '−', 'zoom out', () => this.zoom(1 / 1.6)), press('fit', 'All', 'show all', () => this.fit()));
  }

  chart(run) {
    const c = new Chart(this.second ? `${run.scenario}, variant ${run.variant} (${run.verdict})` : '', run.record, {
      ...this.state, run: `${run.scenario}, variant ${run.variant}`, filter: makeFilter(this.state), part: this.part === undefined || this.part < 0 ? undefined : this.part,
      select: (s, chart) => this.select(s, chart), step: (by, chart) => this.step(by, chart), moved: (chart) => follow(chart, this.charts, this.part ?? -1),
    });
    c.run = run;
    return c;
  }

  // changed takes new options in, once a frame however fast somebody types: each
  // time all events are looked at anew.
  changed() {
    this.changing ||= requestAnimationFrame(() => { this.changing = 0; this.apply(); });
  }

  apply() {
    for (const c of this.charts) { Object.assign(c.options, this.state, { filter: makeFilter(this.state) }); c.rebuild(); }
    if (this.second) align(this.charts, this.part);
    this.refresh();
  }

  refresh() {
    const chart = this.active || this.charts[0];
    const c = this.charts.includes(chart) ? chart : this.charts[0];
    this.list.fill(c.record, makeFilter(this.state), this.part < 0 ? undefined : this.part);
    c.draw();
  }

  // select shows an event everywhere: in its chart, the list and the details.
  select(s, chart) {
    const c = chart || (this.charts.includes(this.active) ? this.active : this.charts[0]);
    if (c !== this.active) { this.active = c; this.list.selected = null; this.refresh(); }
    this.selected = s;
    this.charts.forEach((x) => x.select(x === c ? s : null));
    this.list.select(s);
    this.details.show(c.record, s);
    const name = s.sort === 'step' ? pointName(c.record.steps[s.index]) : s.sort === 'note' ? noteLine(c.record.notes[s.index]) : c.record.attempts[s.index].k.name;
    say(name);
  }

  step(by, chart) {
    if (chart !== this.active) { this.active = chart; this.list.selected = null; this.refresh(); }
    this.list.move(by);
  }

  // goto selects a step of the run that was opened, and lifts a filter that hides it.
  goto(index) {
    const filter = makeFilter(this.state);
    if (filter.any && !filter.step(this.run.record.steps[index])) {
      Object.assign(this.state, { process: '', kind: '', object: '' });
      this.draw();
    }
    this.select({ sort: 'step', index }, this.charts[0]);
  }

  violation() {
    const failed = this.charts[0].record.checks.filter((x) => !x.ok), at = Math.min(...failed.map((x) => x.at));
    this.goto(Math.max(0, this.run.record.steps.findLastIndex((s) => s.at <= at)));
    const c = this.charts[0];
    const u = c.scale.time(at), size = Math.min(c.to - c.from, c.scale.last / 3);
    c.show(u - size * 0.6, u + size * 0.4);
    follow(c, this.charts, this.part ?? -1);
    say(`violated at ${span(at)}`);
  }

  zoom(by) { this.charts[0].zoom(by); }

  fit() { if (this.second) align(this.charts, this.part); else this.charts[0].fit(); }
}

// keys explains the marks.
function keys() {
  const mark = (kind, cls, text) => el('span', {}, svg('svg', { viewBox: '0 0 16 12', 'aria-hidden': 'true' }, kind === 'gap' ? svg('rect', { class: 'gapbar', x: 0, y: 3, width: 16, height: 6 }) : kind === 'att' ? svg('rect', { class: `att ${cls}`, x: 1, y: 2, width: 14, height: 8, rx: 2 }) : kind === 'curve' ? svg('path', { class: 'curve', d: 'M0 11L6 9L10 5L15 1' }) : shape(kind, 8, 6, 4, { class: `m ${cls}` })), text);
  return el('div', { class: 'keys' },
    mark('square', 'store ADDED', 'created'), mark('square', 'store MODIFIED', 'changed'), mark('square', 'store DELETED', 'deleted'),
    mark('circle', 'read', 'read'), mark('diamond', 'write', 'write'), mark('triangle', 'call', 'call'), mark('circle', 'failed', 'failed'), mark('diamond', 'user', 'the scenario'),
    mark('gap', '', 'the server has it, the cache does not'), mark('circle', 'deliver', 'the cache sees it'), mark('circle', 'missed', 'enqueued nothing'),
    mark('att', 'finished', 'attempt'), mark('att', 'retry', 'goes back'), mark('att', 'dropped', 'dropped'), mark('curve', '', 'back-off, up to its cap'), mark('bolt', 'bolt', 'perturbed'));
}
