// Runs the checks of the report's page in one browser and leaves the outcome of
// each in a file of its name: empty if it holds, else what was wrong.
// usage: node run.mjs PAGES OUTCOMES SCREENSHOTS
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';
import { checks } from './checks.mjs';

const [pages, outcomes, screenshots] = process.argv.slice(2).map((p) => resolve(p));
for (const folder of [outcomes, screenshots]) mkdirSync(folder, { recursive: true });

const { context, close } = await launch();
const said = []; // console errors, exceptions, requests that leave the page

// open gives a fresh tab with a page of the given name.
async function open(name, { hash = '', width = 1440, height = 1100, scheme = 'light', wait = 'body[data-ready]' } = {}) {
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') said.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => said.push(`exception: ${e.stack}`));
  page.on('dialog', (d) => { said.push(`dialog: ${d.message()}`); d.dismiss(); });
  const own = pathToFileURL(join(pages, `${name}.html`)).href;
  page.on('request', (r) => { if (r.url().split('#')[0] !== own && !/^(data|blob):/.test(r.url())) said.push(`request: ${r.url()}`); });
  await page.goto(own + hash);
  await page.waitForSelector(wait);
  await settled(page);
  return page;
}

// settled waits until what was asked for is drawn.
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

for (const [name, check] of Object.entries(checks)) {
  const before = said.length;
  let wrong = '';
  try {
    await check({ open, settled, keep: (file, text) => writeFileSync(join(screenshots, file), text), shot: (page, title, o) => page.screenshot({ path: join(screenshots, `${title}.png`), ...o }) });
  } catch (e) {
    wrong = e.stack;
    for (const [i, page] of context.pages().entries()) await page.screenshot({ path: join(screenshots, `failed-${name}-${i}.png`) }).catch(() => {});
  }
  wrong = [wrong, ...said.slice(before)].filter(Boolean).join('\n');
  writeFileSync(join(outcomes, name), wrong);
  for (const page of context.pages().slice(1)) await page.close();
}
await close();
