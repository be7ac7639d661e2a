// What is drawn in a lane: bars (deliveries on their way, attempts), marks
// (instants) and curves (the back-off of a key). All are sorted by place, so that
// a window of them is found by search and only that is drawn.
const LANE = 22, ROW = 12, HEAD = 22;

function laneName(lane) {
  switch (lane.sort) {
    case 'store': return lane.name;
    case 'informer': return `sees ${lane.name}`;
    case 'queue': return `queue ${lane.name}`;
    case 'log': return 'says';
  }
  return lane.process === pack.user ? 'scenario' : 'acts';
}

function groupName(lane) {
  if (lane.process === '') return 'API server: writes';
  return lane.process === pack.user ? '' : lane.process;
}

// arrange gives the lanes that have something to show, with all that is in them.
function arrange(record, scale, filter) {
  const lanes = record.lanes.map((lane, index) => ({ index, lane, bars: [], marks: [], attempts: [], curves: [], rows: 1 }));
  for (const s of record.steps) {
    const u = scale.step(s.i);
    for (const c of s.changes || []) {
      if (filter.change(c)) lanes[c.lane].marks.push({ u, sort: 'step', index: s.i, shape: 'square', cls: `store ${c.type}`, title: `${c.type} ${c.kind} ${c.key}, rv ${c.version}` });
    }
    if (!filter.step(s)) continue;
    const sort = stepSort(s);
    if (sort === 'deliver') lanes[s.lane].bars.push({ u: s.from >= 0 ? scale.step(s.from) : scale.time(s.raised), to: u, cls: s.held ? 'held' : '', index: s.i });
    lanes[s.lane].marks.push({ u, sort: 'step', index: s.i, shape: SHAPES[sort], cls: `${sort}${s.failed ? ' failed' : ''}${s.missed ? ' missed' : ''}`, title: stepLine(s), bolt: s.perturbed });
  }
  // The queues of stand-ins tell their failures only: those are ticks.
  const worked = new Set(record.attempts.map((a) => a.lane));
  record.notes.forEach((n, index) => {
    const queue = n.source !== 'log' && n.source !== 'process';
    if (queue && (n.op !== 'add-rate-limited' || worked.has(n.lane)) || !filter.note(n)) return;
    lanes[n.lane].marks.push({ u: scale.between(n.after, n.at), sort: 'note', index, shape: 'tick', cls: `log ${queue ? 'warning' : n.op}`, title: noteLine(n) });
  });
  for (const a of record.attempts) if (filter.attempt(a)) lanes[a.lane].attempts.push(attemptBar(record, scale, a));
  for (const l of lanes) {
    stack(l);
    curves(record, l);
    l.tall = l.curves.length > 0 || record.keys.some((k) => k.lane === l.index && k.missed);
    l.bar = l.tall ? 40 : 6; // where the attempts are; the curve is above them
    l.height = LANE + (l.tall ? 36 : 0) + (l.rows - 1) * ROW;
    // Bars begin before their mark: the window is searched by where they end.
    for (const part of [l.marks, l.attempts]) part.sort((x, y) => x.u - y.u);
  }
  return lanes.filter((l) => l.marks.length || l.attempts.length);
}

const SHAPES = { read: 'circle', write: 'diamond', call: 'triangle', move: 'square', user: 'diamond', deliver: 'circle' };

function attemptBar(record, scale, a) {
  const u = scale.between(a.firstStep, a.from);
  const to = Math.max(u, a.result === 'running' ? scale.last : scale.between(a.lastStep, a.to));
  return { u, to, index: a.i, key: a.key, cls: a.result, delay: a.delay || 0, cap: a.cap || 0, row: 0,
    title: `${a.k.name}, attempt ${a.number}: ${RESULTS[a.result]}${a.delay ? `, ${span(a.delay)} of back-off before` : ''}` };
}

const RESULTS = {
  done: 'done', finished: 'done', retry: 'back to the queue by the rate limiter', later: 'back to the queue after a time of its own',
  again: 'added again meanwhile', running: 'not at its end when the run was', dropped: 'done, and nothing brings the key back',
};

// stack puts attempts that overlap, of several workers, below each other.
function stack(l) {
  const ends = [];
  for (const a of l.attempts) {
    let row = ends.findIndex((end) => end <= a.u);
    if (row < 0) row = ends.length < 4 ? ends.length : 3;
    ends[row] = a.to;
    a.row = row;
  }
  l.rows = Math.max(1, ends.length);
}

// curves follow the back-off of each key through its attempts, on a logarithmic
// height between nothing and the cap.
function curves(record, l) {
  const open = new Map();
  for (const a of l.attempts) {
    if (!a.delay) { open.delete(a.key); continue; }
    if (!open.has(a.key)) {
      const before = l.attempts.filter((x) => x.key === a.key && x.u < a.u).pop();
      open.set(a.key, { points: before ? [[before.to, 0]] : [], cap: a.cap, key: a.key });
      l.curves.push(open.get(a.key));
    }
    const high = a.cap ? Math.log10(1 + a.delay / 1000) / Math.log10(1 + a.cap / 1000) : Math.min(1, Math.log10(1 + a.delay / 1000) / 6);
    open.get(a.key).points.push([a.u, high]);
  }
}

// shape draws one mark around a point.
function shape(kind, x, y, r, attributes) {
  switch (kind) {
    case 'square': return svg('rect', { x: x - r + 0.5, y: y - r + 0.5, width: 2 * r - 1, height: 2 * r - 1, ...attributes });
    case 'diamond': return svg('path', { d: `M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`, ...attributes });
    case 'triangle': return svg('path', { d: `M${x} ${y - r}L${x + r} ${y + r - 1}L${x - r} ${y + r - 1}Z`, ...attributes });
    case 'tick': return svg('rect', { x: x - 1.5, y: y - 6, width: 3, height: 12, ...attributes });
    case 'bolt': return svg('path', { d: `M${x + 1} ${y - 7}L${x - 4} ${y + 1}H${x}L${x - 1} ${y + 7}L${x + 4} ${y - 1}H${x}Z`, ...attributes });
  }
  return svg('circle', { cx: x, cy: y, r, ...attributes });
}

// urgent orders the marks of one place: the worst is seen.
function urgent(cls) {
  if (cls.includes('missed')) return 4;
  if (cls.includes('failed') || cls.includes('error') || cls.includes('panic')) return 3;
  return cls.includes('write') || cls.includes('warning') || cls.includes('call') ? 2 : 1;
}
