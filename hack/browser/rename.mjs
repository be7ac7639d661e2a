// Renames a scenario in the index of a report's page, as if the report were of a
// scenario of that name.
// usage: node rename.mjs PAGE OLD NEW
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

const [file, from, to] = process.argv.slice(2);
let count = 0;
const page = readFileSync(file, 'utf8').replace(/(id="index">)([^<]*)/, (_, head, packed) => {
  const index = JSON.parse(gunzipSync(Buffer.from(packed, 'base64url')));
  const names = index.runs.columns.find((c) => c.name === 'scenario').pool;
  for (const [i, name] of names.entries()) if (name === from) { names[i] = to; count++; }
  return head + gzipSync(JSON.stringify(index)).toString('base64url');
});
if (count !== 1) throw new Error(`${file}: the scenario ${from} is ${count} times in the index, not once`);
writeFileSync(file, page);
