// Two runs of one scenario are the same up to a step; what interests is there.

// firstDifference is the index of the first step in which two runs part, or -1.
function firstDifference(a, b) {
  const line = (s) => s && JSON.stringify([s.at, pointName(s), s.outcome, s.version]);
  for (let i = 0; i < Math.max(a.steps.length, b.steps.length); i++) {
    if (line(a.steps[i]) !== line(b.steps[i])) return i;
  }
  return -1;
}

// align shows both charts around the place at which they part, with as much of
// the axis before and after it.
function align(charts, part) {
  if (part < 0) { charts.forEach((c) => c.fit()); return; }
  const center = charts.map((c) => partPlace(c, part));
  const before = Math.max(...center) * 1.02 + 1, after = Math.max(...charts.map((c, i) => c.scale.last - center[i])) * 1.02 + 1;
  charts.forEach((c, i) => c.show(center[i] - before, center[i] + after, true));
}

function partPlace(chart, part) { return part < chart.record.steps.length ? chart.scale.step(part) : chart.scale.last; }

// follow moves the other chart as one was moved, around the place of parting.
function follow(moved, others, part) {
  for (const c of others) {
    if (c === moved) continue;
    const by = part < 0 ? 0 : partPlace(c, part) - partPlace(moved, part);
    c.show(moved.from + by, moved.to + by, true);
  }
}

// parting tells in words where two runs part.
function parting(a, b, part) {
  if (part < 0) return el('p', { class: 'soft', id: 'parting' }, 'The two runs take the same steps.');
  const side = (run) => {
    const s = run.record.steps[part];
    return el('div', {}, el('b', {}, run.variant), ': ', s ? `${instant(s.at)} ${s.process}: ${stepLine(s)}` : 'the run takes no more steps');
  };
  return el('div', { class: 'panel', id: 'parting' }, el('h3', {}, `First difference: after ${part} ${part === 1 ? 'step' : 'steps'} that are the same`), el('div', { class: 'pair' }, side(a), side(b)));
}
