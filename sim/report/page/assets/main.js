const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const theme = (name) => { root.dataset.theme = name; };
theme(dark.matches ? 'dark' : 'light');
dark.addEventListener('change', () => theme(dark.matches ? 'dark' : 'light'));
byID('theme').addEventListener('click', () => theme(root.dataset.theme === 'dark' ? 'light' : 'dark'));

const viewer = new Viewer();
byID('skip').addEventListener('click', () => {
  byID('viewer').scrollIntoView({ block: 'start' });
  byID('viewer-title')?.focus({ preventScroll: true });
});

// What is shown of a run outlives a reload: a page that is served loads itself anew.
const KEPT = 'vmreplay-shown';
if (document.body.dataset.live) Object.assign(viewer.state, JSON.parse(sessionStorage.getItem(KEPT) || '{}'));

// The address names what is open: #run-3, or #run-3+5 for two runs.
function follows(first) {
  const m = /^#run-(\d+)(?:\+(\d+))?$/.exec(location.hash);
  const index = m ? Number(m[1]) : worst();
  if (!pack.runs[index]) return;
  const other = m && m[2] !== undefined && pack.runs[m[2]] ? Number(m[2]) : undefined;
  viewer.open(index, other).then(() => {
    if (m && !first) byID('viewer-title').focus({ preventScroll: true });
    if (m) byID('viewer').scrollIntoView({ block: 'start' });
    document.body.dataset.ready = location.hash || '#';
  });
}

// worst is what a reader most probably came for: a surprise, else a failure.
function worst() {
  const by = (test) => pack.runs.findIndex(test);
  const surprise = by((r) => r.note.startsWith('not')), red = by((r) => r.verdict !== 'green');
  return surprise >= 0 ? surprise : Math.max(0, red);
}

loadIndex().then(() => {
  addEventListener('hashchange', () => follows(false));
  if (pack.runs.length) follows(true);
});

// A page that is served asks whether there is a newer one, as long as it is open.
if (document.body.dataset.live) {
  (async () => {
    for (;;) {
      try {
        const answer = await fetch(document.body.dataset.live, { cache: 'no-store' });
        if (answer.status === 205) { sessionStorage.setItem(KEPT, JSON.stringify(viewer.state)); location.reload(); return; }
        if (!answer.ok) throw new Error(String(answer.status));
      } catch { await new Promise((done) => setTimeout(done, 1000)); }
    }
  })();
}
