// Checks that a page which `vmreplay watch` serves follows the files: nobody
// loads it anew by hand.
// usage: node live.mjs ADDRESS FILE SCREENSHOTS
// FILE is a scenario with one run, which is green.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { launch } from './browser.mjs';

const [address, file, screenshots] = process.argv.slice(2);
const good = readFileSync(file, 'utf8');
const impossible = 'expect:\n  - {name: impossible, eventually: "false", within: 5s}\n';

const { context, close } = await launch();
const said = [];
try {
  const page = await context.newPage();
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') said.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => said.push(`exception: ${e.stack}`));
  page.on('request', (r) => { if (!r.url().startsWith(address)) said.push(`request: ${r.url()}`); });
  await page.goto(`${address}#run-0`);

  // becomes waits until the run's cell has a text, and the page is at rest.
  const becomes = async (text) => {
    await page.waitForFunction((t) => document.body.dataset.ready && document.querySelector('a.cell')?.textContent === t, text);
    assert.equal(new URL(page.url()).hash, '#run-0', 'the run that was open still is');
  };
  const problems = () => page.locator('#problem').count();
  const shot = (name) => page.screenshot({ path: join(resolve(screenshots), `${name}.png`) });
  mkdirSync(resolve(screenshots), { recursive: true });

  await becomes('green');
  await page.fill('#object', 'vm');
  writeFileSync(file, good + impossible);
  await becomes('red!');
  assert.equal(await page.inputValue('#object'), 'vm', 'the filter is kept');
  assert.match(await page.textContent('.checks li.no'), /impossible/);
  await shot('live-red');

  writeFileSync(file, `${good}unknown: 1\n`);
  await page.waitForSelector('#problem');
  assert.match(await page.textContent('#problem'), /unknown field/);
  assert.match(await page.textContent('.sum'), /out of date/);
  await becomes('red!'); // the last verdict stays beside the problem
  await shot('live-problem');

  writeFileSync(file, good);
  await becomes('green');
  assert.equal(await problems(), 0, 'the problem is over');
  assert.deepEqual(said, []);
} finally {
  await close();
}
