// Virtual times are microseconds since the start of the run.

// span is a length of time, as short as it can be without a loss that matters.
function span(us) {
  const s = Math.abs(us);
  if (s < 1000) return `${trim(us)} µs`;
  if (s < 1e6) return `${trim(us / 1e3)} ms`;
  if (s < 60e6 || s % 60e6) return `${trim(us / 1e6)} s`;
  return `${trim(us / 60e6)} min`;
}

function trim(n) { return String(+n.toFixed(3)); }

// instant is a time with all its digits, so that columns align.
function instant(us) { return `${(us / 1e6).toFixed(6)}s`; }
