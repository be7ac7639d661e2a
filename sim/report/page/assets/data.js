// The index of the page says which runs there are. What happened in the runs of a
// scenario lies in the page as one compressed text, a bundle; it is unpacked when
// one of them is looked at.
const pack = { runs: [], user: '', bundle: null, opened: -1 };

async function loadIndex() {
  const { runs, user } = await unpack(byID('index'));
  pack.runs = fromTable(runs);
  pack.user = user;
}

async function load(index) {
  const run = pack.runs[index];
  if (run.record || run.bundle < 0) return run;
  const bundle = await openBundle(run.bundle);
  const own = bundle.runs[run.index];
  const record = { end: own.end, lanes: bundle.lanes, blobs: bundle.blobs };
  for (const [name, pairs] of Object.entries(own.lists)) record[name] = rows(bundle.lists[name], pairs);
  run.record = prepare(record);
  return run;
}

// openBundle unpacks a bundle. The last one is kept: the next run that is looked at is most
// probably another variant.
async function openBundle(number) {
  if (pack.opened !== number) {
    const bundle = await unpack(byID(`bundle-${number}`));
    for (const name of Object.keys(bundle.lists)) bundle.lists[name] = fromTable(bundle.lists[name]);
    guess(bundle.lists.steps);
    pack.bundle = bundle;
    pack.opened = number;
  }
  return pack.bundle;
}

// rows makes a list of a run from the rows of its bundle; each run has its own
// copies, since the drawing adds to them.
function rows(pool, pairs) {
  const out = [];
  let next = 0;
  for (let p = 0; p < pairs.length; p += 2) {
    next += pairs[p];
    for (let i = 0; i < pairs[p + 1]; i++) out.push({ ...pool[next++] });
  }
  return out;
}

// prepare adds what the drawing asks for again and again.
function prepare(r) {
  const seen = new Map(); // what each cache saw last
  r.steps.forEach((s, i) => {
    s.i = i; s.out = []; s.wakes = []; s.from = -1; s.previous = -1;
    if (s.verb !== 'deliver' || s.state < 0) return;
    const cache = JSON.stringify([s.process, s.kind, s.object]);
    s.previous = seen.get(cache) ?? -1;
    seen.set(cache, s.state);
  });
  for (const l of r.links) {
    if (l.sort === 'write') { r.steps[l.from].out.push(l.to); r.steps[l.to].from = l.from; }
    if (l.sort === 'wake') r.steps[l.from].wakes.push(l.to);
  }
  r.attempts.forEach((a, i) => { a.i = i; a.k = r.keys[a.key]; a.lane = a.k.lane; });
  for (const k of r.keys) for (const i of k.missed || []) (r.steps[i].missed ||= []).push(k);
  r.items = items(r);
  return r;
}

// items are all that can be selected, in the order in which it happened.
function items(r) {
  const all = [];
  let note = 0;
  const notesUntil = (steps) => {
    for (; note < r.notes.length && r.notes[note].after <= steps; note++) {
      all.push({ sort: 'note', index: note, at: r.notes[note].at, lane: r.notes[note].lane, step: r.notes[note].after });
    }
  };
  for (const s of r.steps) {
    notesUntil(s.i);
    all.push({ sort: 'step', index: s.i, at: s.at, lane: s.lane, step: s.i });
  }
  notesUntil(r.steps.length);
  all.forEach((item, i) => { item.i = i; });
  r.stepItem = all.filter((x) => x.sort === 'step');
  r.noteItem = all.filter((x) => x.sort === 'note');
  return all;
}

// pointName is the name of a step's decision, as a schedule writes it.
function pointName(s) { return `${s.process}: ${[s.verb, s.kind, s.object, s.detail].filter(Boolean).join(' ')} #${s.n}`; }

// stepLine is a step in few words, without its process.
function stepLine(s) {
  const object = [s.kind, s.object].filter(Boolean).join(' ');
  if (s.verb === 'deliver') return `sees ${s.detail} ${object}, ${span(s.at - s.raised)} after the server`;
  const version = s.version ? `, rv ${s.version}` : '';
  return `${[s.verb, s.detail, object].filter(Boolean).join(' ')}: ${s.outcome}${version}`;
}

function noteLine(n) {
  if (n.source === 'log') return `${n.op}: ${n.text}`;
  if (n.source === 'process') return `process ${n.op} ${n.text || ''}`;
  return `queue ${n.source}: ${n.op} ${n.key} ${n.text || ''}`;
}

function itemLine(r, item) {
  return item.sort === 'step' ? stepLine(r.steps[item.index]) : noteLine(r.notes[item.index]);
}

function itemProcess(r, item) { return (item.sort === 'step' ? r.steps : r.notes)[item.index].process; }

// stepSort is how a step is drawn.
function stepSort(s) {
  if (s.verb === 'deliver') return 'deliver';
  if (s.verb === 'call') return 'call';
  if (s.process === pack.user) return 'user';
  if (s.verb === 'start' || s.verb === 'stop' || s.verb === 'timer' || s.verb === 'work') return 'move';
  return s.changes || ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(s.verb) ? 'write' : 'read';
}
