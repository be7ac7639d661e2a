// A filter says which steps, notes and attempts are shown.
function makeFilter({ process = '', kind = '', object = '', logs = true }) {
  const wanted = object.trim().toLowerCase();
  const has = (text) => (text || '').toLowerCase().includes(wanted);
  const touches = (s) => (s.changes || []).some((c) => (!kind || c.kind === kind) && (!wanted || has(c.key)));
  return {
    any: Boolean(process || kind || wanted || !logs),
    change: (c) => !process && (!kind || c.kind === kind) && (!wanted || has(c.key)),
    step: (s) => (!process || s.process === process) && ((!kind || s.kind === kind) && (!wanted || has(s.object)) || (kind || wanted) && touches(s)),
    note: (n) => (!process || n.process === process) && !kind && (logs || n.source !== 'log') && (!wanted || has(n.key) || n.source === 'log' && has(n.text)),
    attempt: (a) => (!process || a.k.process === process) && !kind && (!wanted || has(a.k.name)),
  };
}
