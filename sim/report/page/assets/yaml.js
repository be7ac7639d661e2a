// yamlLines prints a JSON value as the lines of a YAML document, keys sorted, the
// fields that kubectl shows first in front.
const FIRST = ['apiVersion', 'kind', 'metadata', 'type', 'spec', 'status'];

function yamlLines(value) {
  const lines = [];
  emit(value, '', '', lines);
  return lines;
}

function emit(value, indent, lead, lines) {
  if (value === null || typeof value !== 'object') return lines.push(indent + lead + scalar(value));
  const list = Array.isArray(value);
  const keys = list ? value.map((_, i) => i) : Object.keys(value).sort(byKey);
  if (keys.length === 0) return lines.push(indent + lead + (list ? '[]' : '{}'));
  keys.forEach((k, i) => {
    const before = i === 0 ? indent + lead : indent + ' '.repeat(lead.length);
    const child = value[k];
    if (list) return emit(child, before, '- ', lines);
    const name = plain(k) ? k : JSON.stringify(k);
    if (child === null || typeof child !== 'object') return lines.push(`${before}${name}: ${scalar(child)}`);
    if (Object.keys(child).length === 0) return lines.push(`${before}${name}: ${Array.isArray(child) ? '[]' : '{}'}`);
    lines.push(`${before}${name}:`);
    return emit(child, ' '.repeat(before.length) + (Array.isArray(child) ? '' : '  '), '', lines);
  });
  return lines;
}

function byKey(a, b) {
  const x = FIRST.indexOf(a), y = FIRST.indexOf(b);
  if (x !== y) return (x < 0 ? FIRST.length : x) - (y < 0 ? FIRST.length : y);
  return a < b ? -1 : 1;
}

// plain tells texts that YAML takes as they are.
function plain(s) {
  return /^[A-Za-z_][\w./@-]*( [\w./@-]+)*$/.test(s) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(s);
}

function scalar(v) {
  if (typeof v !== 'string') return JSON.stringify(v);
  return plain(v) ? v : JSON.stringify(v);
}

// NOISE changes with every write, or differs in every run, and says nothing.
const NOISE = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp']);
const STAMPS = new Set(['lastTransitionTime', 'lastProbeTime', 'lastHeartbeatTime', 'lastUpdateTime']);

function masked(value, inMetadata) {
  if (Array.isArray(value)) return value.map((v) => masked(v, false));
  if (value === null || typeof value !== 'object') return value;
  const out = {};
  for (const [k, v] of Object.entries(value)) {
    if ((inMetadata && NOISE.has(k)) || STAMPS.has(k)) continue;
    out[k] = masked(v, k === 'metadata');
  }
  return out;
}
