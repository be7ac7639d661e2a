// What the page holds is compressed, and its lists lie in it by column, as tables.

async function unpack(node) {
  const packed = Uint8Array.from(atob(node.textContent.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

// fromTable makes rows of columns.
function fromTable(table) {
  const all = Array.from({ length: table.n }, () => ({}));
  for (const c of table.columns) {
    const value = reader(c);
    all.forEach((row, i) => { row[c.name] = value(i); });
  }
  return all;
}

// reader gives the values of a column, one after the other.
function reader(c) {
  if (c.rows) return nested(c);
  if (c.index) return (i) => c.pool[c.index[i]];
  if (c.numbers) return (i) => c.numbers[i];
  let last = 0;
  return (i) => { last = Math.round((last + c.deltas[i]) * 1000) / 1000; return last; };
}

function nested(c) {
  const rows = fromTable(c.rows);
  let at = 0;
  return (i) => {
    const own = rows.slice(at, at += c.counts[i]);
    return c.one ? own[0] : own.length ? own : undefined;
  };
}

// guess turns what the page says of states into their numbers: 0 is the state that
// was to be expected, any other number is two more than the state's.
function guess(steps) {
  const last = new Map(), at = new Map();
  const number = (said, expected) => (said === 0 ? expected ?? -1 : said - 2);
  for (const s of steps) {
    const revision = JSON.stringify([s.kind, s.object]) + (s.version ?? 0), seen = at.get(revision);
    let written = -1;
    for (const c of s.changes || []) {
      const object = JSON.stringify([c.kind, c.key]);
      c.before = number(c.before, last.get(object));
      written = c.after;
      last.set(object, written);
      at.set(object + c.version, written);
    }
    s.state = number(s.state, seen);
    if (s.state >= 0) at.set(revision, s.state);
    if (s.exchange) s.exchange.answer = number(s.exchange.answer, s.state >= 0 ? s.state : written);
  }
}
