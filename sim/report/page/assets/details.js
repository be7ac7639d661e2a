// The panel that tells all about what was selected.
class Details {
  constructor(go) {
    this.go = go; // selects another event
    this.raw = false;
    this.body = el('div', { class: 'details', tabindex: 0, role: 'region', 'aria-label': 'Details of the selected event' });
    this.mask = el('button', { type: 'button', 'aria-pressed': 'false', id: 'unmask', title: 'managedFields, resourceVersion, uid, generation and time stamps', onclick: () => this.unmask() }, 'Show masked fields');
    this.root = el('div', { class: 'panel' }, el('h3', {}, 'Details'), this.body);
    this.show(null, null);
  }

  unmask() {
    this.raw = !this.raw;
    this.mask.setAttribute('aria-pressed', String(this.raw));
    this.show(this.record, this.selected);
  }

  show(record, selected) {
    this.record = record;
    this.selected = selected;
    if (!selected) {
      this.body.replaceChildren(el('p', { class: 'soft' }, 'Select an event in the timeline or in the list: click it, or use the arrow keys.'));
      return;
    }
    const draw = { step: () => this.step(record.steps[selected.index]), note: () => this.note(record.notes[selected.index]), attempt: () => this.attempt(record.attempts[selected.index]) }[selected.sort];
    this.body.replaceChildren(...draw().flat().filter(Boolean));
    this.body.scrollTop = 0;
  }

  facts(pairs) {
    return el('dl', {}, pairs.filter(([, value]) => value !== undefined && value !== '' && value !== null).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]).flat());
  }

  jump(text, sort, index) { return el('button', { type: 'button', class: 'jump', onclick: () => this.go({ sort, index }) }, text); }

  jumps(list) { return list.length ? el('div', {}, list.map((j) => el('div', {}, j))) : ''; }

  step(s) {
    const r = this.record, x = s.exchange;
    return [
      el('h3', { class: 'mono' }, pointName(s)),
      this.facts([
        ['granted at', instant(s.at)],
        [s.verb === 'deliver' ? 'the server had it at' : 'asked at', s.at !== s.raised && s.process !== 'user' ? `${instant(s.raised)}, ${span(s.at - s.raised)} earlier` : ''],
        ['result', s.outcome], ['resourceVersion', s.version || ''],
        ['informer', s.held ? 'its clock is slowed or held by the scenario' : ''],
        ['perturbed', s.perturbed],
        ['missed', s.missed && `it enqueued nothing; it should have woken ${s.missed.map((k) => `${k.name} (queue ${k.queue})`).join(', ')}`],
        ['written by', s.from >= 0 ? this.jump(`${instant(r.steps[s.from].at)} ${pointName(r.steps[s.from])}`, 'step', s.from) : ''],
        ['seen by', this.jumps(s.out.map((i) => this.jump(`${instant(r.steps[i].at)} ${r.steps[i].process}, ${span(r.steps[i].at - s.at)} later`, 'step', i)))],
        ['led to', this.jumps(s.wakes.map((i) => this.jump(`attempt ${r.attempts[i].number} of ${r.attempts[i].k.name}`, 'attempt', i)))],
      ]),
      (s.changes || []).map((c) => [el('h3', {}, `${c.type} ${c.kind} ${c.key}`), this.diff(c.before, c.after)]).flat(),
      s.changes ? null : this.state(s),
      x ? this.exchange(s, x) : null,
      this.values(s.i),
    ].flat();
  }

  state(s) {
    if (s.state < 0) return null;
    if (s.verb !== 'deliver') return null;
    const title = s.previous >= 0 ? 'Against what this cache saw before' : 'What the cache sees for the first time';
    return [el('h3', {}, title), this.diff(s.previous, s.state)];
  }

  blob(i) {
    if (i < 0) return [];
    const value = this.record.blobs[i];
    return yamlLines(this.raw ? value : masked(value, false));
  }

  diff(before, after) {
    const a = this.blob(before), b = this.blob(after);
    const lines = before < 0 ? b.map((l) => ['+', l]) : after < 0 ? a.map((l) => ['-', l]) : shown(diffLines(a, b));
    if (lines.every(([mark]) => mark === ' ' || mark === '…')) return el('p', { class: 'soft' }, 'Nothing but masked fields differs.');
    const names = { '+': 'add', '-': 'del', '…': 'skip' };
    return el('div', { class: 'diff mono', tabindex: 0, role: 'region', 'aria-label': 'Object, as a difference' }, lines.map(([mark, line]) => el('div', { class: names[mark] }, `${mark} ${line}`)));
  }

  exchange(s, x) {
    const asked = x.method ? `${x.method} ${x.path}` : `${s.detail} ${(x.args || []).join(' ')}`;
    const part = (title, i, text, cut) => {
      if (i < 0 && !text) return null;
      const body = i >= 0 ? this.blob(i).join('\n') : text + (cut ? `\n… ${cut} more bytes` : '');
      return el('details', { open: title === 'Request body' }, el('summary', {}, title), el('div', { class: 'diff mono', tabindex: 0, role: 'region', 'aria-label': title }, el('pre', {}, body)));
    };
    return [el('h3', {}, 'Request and answer'), el('pre', {}, asked), part('Request body', x.body), part(`Answer: ${s.outcome}`, x.answer, x.text, x.cut)];
  }

  // values are what the conditions of the checks read once the step was taken.
  values(step) {
    const now = new Map(), before = new Map();
    for (const v of this.record.values) {
      if (v.step > step) break;
      if (now.has(v.check)) before.set(v.check, now.get(v.check));
      now.set(v.check, v);
    }
    if (now.size === 0) return null;
    const rows = [...now.values()].map((v) => {
      const old = v.step === step && before.get(v.check);
      const reads = v.reads.map((line) => el('div', { class: old && !old.reads.includes(line) ? 'changed' : null }, line));
      return el('tr', {}, el('th', { scope: 'row' }, v.check), el('td', { class: old && old.holds !== v.holds ? 'changed' : null }, v.holds ? 'true' : 'false'), el('td', { class: 'mono' }, reads));
    });
    return [el('h3', {}, 'What the checks read after it'), el('table', { class: 'vals' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Check'), el('th', { scope: 'col' }, 'Condition'), el('th', { scope: 'col' }, 'Values'))), el('tbody', {}, rows))];
  }

  attempt(a) {
    const r = this.record, k = a.k;
    const own = r.steps.slice(a.firstStep, a.lastStep).filter((s) => s.process === k.process && s.verb !== 'deliver');
    const said = r.notes.filter((n) => n.source === 'log' && n.process === k.process && n.after >= a.firstStep && n.after <= a.lastStep && n.at >= a.from && n.at <= a.to);
    return [
      el('h3', { class: 'mono' }, `${k.process}: ${k.name}, attempt ${a.number} (queue ${k.queue})`),
      this.facts([
        ['from', instant(a.from)], ['to', instant(a.to)], ['took', span(a.to - a.from)],
        ['back-off before', a.delay ? `${span(a.delay)}${a.cap ? `, at most ${span(a.cap)}` : ''}` : ''],
        ['result', RESULTS[a.result]], ['in the end', k.fate],
        ['should have been woken by', k.missed && a.result === 'dropped' ? this.jumps(k.missed.map((i) => this.jump(`${instant(r.steps[i].at)} ${pointName(r.steps[i])}`, 'step', i))) : ''],
        ['asked', this.jumps(own.map((s) => this.jump(`${instant(s.at)} ${stepLine(s)}`, 'step', s.i)))],
        ['said', said.length ? el('div', {}, said.map((n) => el('div', {}, noteLine(n)))) : ''],
      ]),
    ];
  }

  note(n) {
    return [el('h3', { class: 'mono' }, `${n.process}: ${n.source}`), this.facts([['at', instant(n.at)], ['what', n.op], ['key', n.key]]), n.text ? el('pre', {}, n.text) : null];
  }
}
