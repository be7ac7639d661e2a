// Validates JUnit files against junit.xsd.
// usage: node junit.mjs FILE...
import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

const contents = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8');
let wrong = 0;
for (const file of process.argv.slice(2)) {
  const result = await validateXML({ xml: [{ fileName: file, contents: readFileSync(file, 'utf8') }], schema: [{ fileName: 'junit.xsd', contents }] });
  if (result.valid) continue;
  wrong++;
  for (const e of result.errors) console.log(e.rawMessage);
}
process.exit(wrong === 0 && process.argv.length > 2 ? 0 : 1);
