// MOST bounds the work of a comparison: two long texts that share little are
// shown as all removed and all added.
const MOST = 4e6;

// diffLines compares two texts by lines: [' ' | '-' | '+', line] each.
function diffLines(a, b) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const middle = common(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (line) => [' ', line];
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

// common is the longest common subsequence, by the table of the textbook.
function common(a, b) {
  if (a.length * b.length > MOST) return [...a.map((l) => ['-', l]), ...b.map((l) => ['+', l])];
  const w = b.length + 1;
  const t = new Uint32Array((a.length + 1) * w);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      t[i * w + j] = a[i] === b[j] ? t[(i + 1) * w + j + 1] + 1 : Math.max(t[(i + 1) * w + j], t[i * w + j + 1]);
    }
  }
  const out = [];
  let i = 0, j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) { out.push([' ', a[i]]); i++; j++; }
    else if (t[(i + 1) * w + j] >= t[i * w + j + 1]) out.push(['-', a[i++]]);
    else out.push(['+', b[j++]]);
  }
  while (i < a.length) out.push(['-', a[i++]]);
  while (j < b.length) out.push(['+', b[j++]]);
  return out;
}

// CONTEXT is how many unchanged lines stay around a change.
const CONTEXT = 3;

// shown leaves out the long unchanged parts: ['…', count] stands for them.
function shown(lines) {
  const near = new Array(lines.length).fill(false);
  lines.forEach(([mark], i) => {
    if (mark === ' ') return;
    for (let j = Math.max(0, i - CONTEXT); j <= Math.min(lines.length - 1, i + CONTEXT); j++) near[j] = true;
  });
  const out = [];
  for (let i = 0; i < lines.length; i++) {
    if (near[i]) { out.push(lines[i]); continue; }
    const from = i;
    while (i + 1 < lines.length && !near[i + 1]) i++;
    if (i - from < 2) out.push(...lines.slice(from, i + 1));
    else out.push(['…', `${i - from + 1} lines are the same`]);
  }
  return out;
}
