// A Scale maps virtual time to places on the axis. Runs are bursts of
// milliseconds with seconds of silence between them: to scale, all that happens
// would be on a few pixels. So by default each step takes some room, and a gap
// grows with the logarithm of its length; "true to scale" is there to choose.
class Scale {
  constructor(record, mode) {
    this.steps = record.steps;
    this.end = record.end;
    this.linear = mode === 'linear';
    this.place = new Float64Array(this.steps.length);
    let last = 0, at = 0;
    this.steps.forEach((s, i) => {
      last += this.width(at, s.at, i === 0);
      at = s.at;
      this.place[i] = this.linear ? s.at : last;
    });
    this.last = this.linear ? this.end : last + this.width(at, this.end, false);
    if (this.last <= 0) this.last = 1;
  }

  width(from, to, first) {
    if (first) return 0.6 + Scale.gap(to - from);
    return 0.8 + Scale.gap(to - from);
  }

  static gap(us) { return 2.4 * Math.log10(1 + Math.max(0, us) / 1000); }

  step(i) { return this.place[i]; }

  // between is the place of what happened at an instant between the grant of two
  // steps: the note of a queue, the beginning of an attempt.
  between(after, at) {
    if (this.linear) return at;
    const before = this.steps[after - 1], next = this.steps[after];
    if (before && before.at === at) return this.place[after - 1] + 0.3;
    if (next && next.at === at) return this.place[after] - 0.3;
    return this.time(at);
  }

  // time is the place of an instant, in front of the steps that happened then.
  time(at) {
    if (this.linear) return at;
    const i = this.lower(at);
    if (i < this.steps.length && this.steps[i].at === at) return this.place[i];
    const from = i > 0 ? this.steps[i - 1].at : 0, start = i > 0 ? this.place[i - 1] : 0;
    const to = i < this.steps.length ? this.steps[i].at : this.end, stop = i < this.steps.length ? this.place[i] : this.last;
    const all = Scale.gap(to - from);
    return all === 0 ? start : start + ((stop - start) * Scale.gap(at - from)) / all;
  }

  // lower is the first step at or after an instant.
  lower(at) {
    let lo = 0, hi = this.steps.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (this.steps[mid].at < at) lo = mid + 1; else hi = mid; }
    return lo;
  }

  // ticks are instants worth a label between two places, at least room apart.
  ticks(from, to, room) {
    if (this.linear) return this.round(from, to, room);
    const out = [];
    let free = from;
    const offer = (u, at) => { if (u >= free && u <= to) { out.push([u, at]); free = u + room; } };
    offer(0, 0);
    // First the steps after a silence: there a reader looks for the time.
    for (let i = 0; i < this.steps.length; i++) {
      if (i === 0 || this.steps[i].at !== this.steps[i - 1].at) offer(this.place[i], this.steps[i].at);
    }
    free += room; // the end's label is written to the left
    offer(this.last, this.end);
    return out;
  }

  round(from, to, room) {
    let every = 1;
    for (const base of [1, 2, 5]) {
      const n = base * 10 ** Math.ceil(Math.log10(room / base));
      if (base === 1 || n < every) every = n;
    }
    const out = [];
    for (let t = Math.ceil(Math.max(0, from) / every) * every; t <= Math.min(to, this.end); t += every) out.push([t, t]);
    return out;
  }
}
