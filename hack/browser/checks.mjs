// What must be true of the report's page. Each check gets open, which opens a
// page in a new tab, settled, which waits for the drawing, and shot and keep, which
// keep a screenshot and a text. Console errors and requests fail whichever check they come in.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { measured, redraws } from './frames.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// serious are the findings of axe-core that keep people out.
async function serious(page) {
  // Not as a script of the page: the page forbids itself all scripts but its own.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(' | ')}`);
}

// runOf finds the number of a run by its cell in the matrix.
const runOf = (page, scenario, variant) => page.evaluate(([s, v]) => {
  for (const row of document.querySelectorAll('.matrix tbody tr')) {
    const variants = [...row.closest('table').querySelectorAll('thead th')].map((th) => th.textContent);
    if (row.firstElementChild.textContent === s) return Number(row.children[variants.indexOf(v)].firstElementChild.getAttribute('href').slice('#run-'.length));
  }
  throw new Error(`there is no scenario ${s}`);
}, [scenario, variant]);

async function story(open, variant, other, options) {
  const first = await open('pack');
  const a = await runOf(first, 'target-pod-not-created', variant);
  const b = other && (await runOf(first, 'target-pod-not-created', other));
  return open('pack', { ...options, hash: `#run-${a}${other ? `+${b}` : ''}` });
}

const marks = (page) => page.locator('.chart svg [data-sort]').count();
const lanes = (page) => page.locator('.chart svg text.soft title').allTextContents();

export const checks = {
  async opens({ open, shot, keep }) {
    const before = performance.now();
    const page = await open('pack');
    keep('open.json', `${JSON.stringify({ milliseconds: Math.round(performance.now() - before) })}\n`);
    assert.equal(await page.textContent('h1'), 'vmreplay');
    assert.match(await page.textContent('.sum'), /\d+ runs:\s+all as expected/);
    const cells = await page.locator('.cell').count();
    const runs = Number(/(\d+) runs/.exec(await page.textContent('.sum'))[1]);
    assert.equal(cells, runs, 'every run has its cell in the matrix');
    assert.ok(await marks(page) > 5, 'a timeline is drawn');
    await shot(page, 'open');
  },

  async 'opens-a-run-from-the-matrix'({ open }) {
    const page = await open('pack');
    await page.locator('a.cell.red').first().click();
    await page.waitForFunction(() => document.body.dataset.ready === location.hash);
    assert.equal(await page.locator('#viewer .tag').textContent(), 'red');
    assert.match(await page.textContent('#replay'), /^vmreplay show .* --variant .* --seed \d+$/);
    assert.ok((await page.locator('.checks li.no').count()) > 0);
  },

  async lanes({ open }) {
    const page = await story(open, 'none');
    assert.deepEqual(await lanes(page), ['scenario', 'Pod', 'VirtualMachineInstanceMigration', 'acts', 'sees Pod', 'sees VirtualMachineInstanceMigration', 'queue AddOrUpdateVMIMigration', 'says']);
    assert.ok((await page.locator('.gapbar').count()) >= 3, 'deliveries on their way are bars');
    assert.equal(await page.locator('.violation').count(), 1, 'the instant of the violation');
  },

  // Of what went wrong, the page says what it was: a lease that was stolen drops no key.
  async replicas({ open, shot }) {
    const first = await open('pack');
    const page = await open('pack', { hash: `#run-${await runOf(first, 'stolen-lease', 'wake')}` });
    const texts = await page.locator('.chart svg text').allTextContents();
    for (const process of ['kube-ovn-controller', 'kube-ovn-controller-2']) assert.ok(texts.includes(process), `${process} has no lanes`);
    assert.equal((await lanes(page)).filter((l) => l === 'queue AddOrUpdateVMIMigration').length, 2, 'each has a queue');
    assert.equal(await page.locator('.chart .bolt').count(), 1, 'the decision before which the lease was stolen');
    await page.locator('.chart .bolt').click();
    assert.match(await page.textContent('.details'), /the lease was stolen before it/);
    assert.deepEqual(texts.filter((t) => t.includes('dropped')), []);
    assert.equal(await page.locator('.arrow.dropped, #dropped').count(), 0);
    await shot(page, 'replicas');
  },

  async filters({ open, settled }) {
    const page = await story(open, 'none');
    const all = await marks(page), listed = await page.textContent('.panel h3');
    await page.selectOption('#kind', 'Pod');
    await settled(page);
    const some = await marks(page);
    assert.ok(some > 0 && some < all, `${some} of ${all} marks`);
    assert.deepEqual((await lanes(page)).filter((l) => l.includes('Migration')), []);
    assert.notEqual(await page.textContent('.panel h3'), listed);
    await page.selectOption('#kind', '');
    await page.fill('#object', 'virt-launcher');
    await settled(page);
    assert.ok((await marks(page)) < all);
    await page.fill('#object', '');
    await page.selectOption('#process', 'user');
    await settled(page);
    assert.deepEqual(await lanes(page), ['scenario', 'Pod', 'VirtualMachineInstanceMigration'].filter((l) => l === 'scenario'));
    await page.selectOption('#process', '');
    await page.uncheck('#logs');
    await settled(page);
    assert.ok(!(await lanes(page)).includes('says'));
  },

  async zooms({ open, settled, shot }) {
    const page = await story(open, 'target-pod-retry');
    const width = () => page.evaluate(() => Math.max(...[...document.querySelectorAll('.att')].map((a) => Number(a.getAttribute('width')))));
    const before = await width(), all = await marks(page);
    for (let i = 0; i < 3; i++) await page.click('#zoom-in');
    await settled(page);
    assert.ok((await width()) > before * 1.8, 'bars are wider');
    assert.ok((await marks(page)) < all, 'what is outside is not drawn');
    await page.focus('.surface');
    await page.keyboard.press('0');
    await settled(page);
    assert.equal(await marks(page), all);
    await page.keyboard.press('+');
    await settled(page);
    assert.ok((await width()) > before);
    await page.click('#fit');
    await page.selectOption('#mode', 'linear');
    await settled(page);
    await shot(page, 'to-scale');
    const box = await page.locator('.surface').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await settled(page);
    assert.ok((await marks(page)) > 0);
  },

  async 'back-off'({ open, shot }) {
    const page = await story(open, 'target-pod-retry');
    assert.equal(await page.locator('.curve').count(), 2, 'one in the timeline, one in its key');
    assert.equal(await page.locator('.cap').count(), 1);
    assert.equal(await page.locator('.att.retry').count(), 12, '11 attempts that go back, and the key');
    await shot(page, 'back-off');
  },

  async 'finds-the-dropped-event'({ open, settled, shot }) {
    const page = await story(open, 'none');
    assert.equal(await page.locator('.arrow.dropped').count(), 1);
    assert.ok((await page.locator('svg text.bad').allTextContents()).includes('should have woken default/migration'));
    await page.click('#dropped');
    await settled(page);
    const details = await page.textContent('.details');
    assert.match(details, /deliver Pod default\/virt-launcher-vm-target ADDED #1/);
    assert.match(details, /it enqueued nothing; it should have woken default\/migration/);
    assert.equal(await page.locator('.row[aria-selected=true]').count(), 1);
    for (let i = 0; i < 6; i++) await page.click('#zoom-in');
    await settled(page);
    assert.equal(await page.locator('circle.sel').count(), 1, 'zooming keeps what is selected in sight');
    await page.click('#fit');
    await page.selectOption('#mode', 'linear');
    for (let i = 0; i < 4; i++) await page.click('#zoom-in');
    await settled(page);
    assert.equal(await page.locator('circle.sel').count(), 1, 'on the other scale, too');
    await page.selectOption('#mode', 'compact');
    await page.click('#fit');
    await page.fill('#object', 'nothing has this name');
    await page.click('#dropped');
    await settled(page);
    assert.equal(await page.inputValue('#object'), '', 'a filter that hides the event is lifted');
    assert.equal(await page.locator('circle.sel').count(), 1);
    await page.locator('.att.dropped').first().click();
    assert.match(await page.textContent('.details'), /nothing brings the key back/);
    await shot(page, 'dropped');
  },

  async 'goes-to-the-violation'({ open, settled }) {
    const page = await story(open, 'none');
    await page.click('#violation');
    await settled(page);
    assert.match((await page.locator('svg text.bad').allTextContents()).join('\n'), /✕ .+, \d+(\.\d+)? (s|min)/, 'its instant in words');
    assert.match(await page.textContent('.details'), /granted at/, 'the step at which it was is selected');
    const other = await open('pack', { hash: `#run-${await runOf(await open('pack'), 'target-pod-not-created', 'none')}` });
    await other.click('#violation');
    const read = await other.locator('.vals tbody th').allTextContents();
    assert.ok(read.length > 0 && !read.includes('set-up-at-once'), `a check of another variant is read: ${read}`);
  },

  async 'shows-a-write-as-a-difference'({ open, settled, shot }) {
    const page = await story(open, 'both');
    await page.locator('.row', { hasText: 'patch status VirtualMachineInstanceMigration' }).first().click();
    await settled(page);
    const diff = page.locator('.diff').first();
    assert.match(await diff.locator('.add').first().textContent(), /phase: Scheduling/);
    assert.match(await diff.locator('.del').first().textContent(), /phase: Pending/);
    assert.ok(!(await diff.textContent()).includes('resourceVersion'), 'noise is masked');
    await page.click('#unmask');
    assert.ok((await page.locator('.diff').first().textContent()).includes('resourceVersion'));
    await page.click('#unmask');
    await page.fill('#object', 'vm.default'); // the line is further down than what is drawn
    await settled(page);
    await page.locator('.row', { hasText: 'call set-migrate-options' }).click();
    await settled(page);
    const values = await page.locator('.vals').textContent();
    assert.match(values, /port\("vm\.default"\)\.options/);
    assert.match(values, /true/);
    assert.match(await page.textContent('.details'), /Request and answer/);
    await shot(page, 'difference');
  },

  async compares({ open, settled, shot }) {
    const page = await story(open, 'none', 'target-pod-retry');
    assert.equal(await page.locator('.chart').count(), 2);
    assert.match(await page.textContent('#parting'), /First difference: after 12 steps/);
    const at = await page.locator('line.part').evaluateAll((lines) => lines.map((l) => Number(l.getAttribute('x1')).toFixed(1)));
    assert.equal(at.length, 2);
    assert.equal(at[0], at[1], 'both are aligned at the first difference');
    await page.click('#zoom-in');
    await settled(page);
    const then = await page.locator('line.part').evaluateAll((lines) => lines.map((l) => Number(l.getAttribute('x1')).toFixed(1)));
    assert.equal(then[0], then[1], 'and stay so');
    await shot(page, 'compare');
    await page.selectOption('#compare', '');
    await page.waitForFunction(() => document.querySelectorAll('.chart').length === 1);
  },

  async keyboard({ open, settled }) {
    const page = await story(open, 'none');
    assert.match(await page.getAttribute('.surface', 'aria-label'), /^Timeline of .+, variant none\. /);
    await page.focus('#skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'viewer-title', 'past the matrix in one step');
    await page.focus('.surface');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.match(await page.textContent('.details h3'), /list Pod/);
    assert.match(await page.textContent('#live'), /list Pod/, 'a screen reader is told');
    await page.focus('#events');
    await page.keyboard.press('End');
    await settled(page);
    const chosen = await page.getAttribute('#events', 'aria-activedescendant');
    assert.equal(await page.locator(`#${chosen}`).getAttribute('aria-selected'), 'true');
  },

  async dark({ open, shot }) {
    const page = await story(open, 'none', undefined, { scheme: 'dark' });
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await back();
    await shot(page, 'dark');
    await page.click('#theme');
    assert.notEqual(await back(), dark);
  },

  async narrow({ open, shot }) {
    const page = await story(open, 'none', undefined, { width: 360, height: 800 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(over <= 0, `the page is ${over} pixels too wide`);
    await shot(page, 'narrow', { fullPage: true });
  },

  async accessible({ open }) {
    for (const scheme of ['light', 'dark']) {
      const page = await story(open, 'none', 'both', { scheme });
      await page.click('#dropped');
      assert.deepEqual(await serious(page), [], scheme);
    }
  },

  async 'hostile-names'({ open, settled, shot }) {
    const page = await open('hostile');
    const intact = async () => {
      assert.equal(await page.evaluate(() => window.broken), undefined, 'a script from the data ran');
      assert.equal(await page.locator('img, iframe, object').count(), 0);
      assert.equal(await page.locator('body script:not(.data)').count(), 1, 'the page has one script');
      const turned = await page.evaluate(() => [...document.querySelectorAll('body :not(script)')]
        .flatMap((e) => [e.title || '', e.getAttribute('aria-label') || '', ...[...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data)])
        .filter((text) => /[\u2028-\u202e\u2066-\u2069]/.test(text)));
      assert.deepEqual(turned, [], 'texts that turn the reading direction');
    };
    await intact();
    assert.match(await page.textContent('.matrix'), /<img src=x onerror=window\.broken=1>/);
    assert.match(await page.textContent('#viewer'), /<\/script><script>window\.broken=1<\/script>/);
    const events = await page.locator('.row').count();
    for (let i = 0; i < events; i++) {
      await page.locator('.row').nth(i).click();
      await settled(page);
    }
    assert.match(await page.textContent('.details'), /onerror/);
    assert.match(await page.textContent('.details'), /\\u2028\\u202egnp\.\\u2066exe/, 'what a value holds can be read');
    assert.match(await page.textContent('#viewer-title'), /\\u202egnp/);
    await intact();
    await shot(page, 'hostile');
  },

  async 'ten-thousand-events'({ open, settled, shot }) {
    const page = await open('large');
    const events = await page.evaluate(() => Number(/of (\d+)/.exec(document.querySelector('.panel h3').textContent)[1]));
    assert.ok(events >= 10000, `${events} events`);
    const elements = () => page.evaluate(() => document.querySelectorAll('.chart svg *').length);
    const rows = await page.locator('.row').count();
    assert.ok(rows < 100, `${rows} lines of the list are there at once`);
    for (let i = 0; i < 8; i++) {
      const n = await elements();
      assert.ok(n < 6000, `${n} elements are drawn`);
      await page.click('#zoom-in');
      await settled(page);
    }
    await page.click('#fit');
    await settled(page);
    await page.check('#arrows');
    await settled(page);
    assert.ok((await elements()) < 7000);
    await page.focus('#events');
    await page.keyboard.press('End');
    await settled(page);
    assert.equal(await page.locator('.row[aria-selected=true]').count(), 1);
    await shot(page, 'large');
  },

  // Times depend on the machine and are kept, not judged. What is judged is what
  // makes them: how much is drawn anew, and how often.
  async 'ten-thousand-events-stay-smooth'({ open, settled, keep }) {
    const page = await open('large');
    const burst = async (name, act) => {
      const seen = await redraws(page, () => page.evaluate(act), settled);
      assert.ok(seen.chart <= 1, `${name}: 50 of it in one frame draw the timeline ${seen.chart} times`);
      assert.ok(seen.list <= 2, `${name}: 50 of it in one frame draw the list ${seen.list} times`);
      return seen;
    };
    const zoomed = await burst('zoom', () => {
      const at = { deltaY: -10, ctrlKey: true, bubbles: true, cancelable: true };
      for (let i = 0; i < 50; i++) document.querySelector('.surface').dispatchEvent(new WheelEvent('wheel', at));
    });
    assert.equal(zoomed.chart, 1, 'the timeline follows the wheel');
    assert.equal(zoomed.list, 0, 'a zoom leaves the list alone');
    const filtered = await burst('typing', () => {
      const box = document.querySelector('#object');
      for (let i = 0; i < 50; i++) { box.value = 'migration'.slice(0, 1 + (i % 9)); box.dispatchEvent(new Event('input', { bubbles: true })); }
    });
    assert.ok(filtered.chart === 1 && filtered.list > 0, 'timeline and list follow the filter');
    await page.fill('#object', '');
    await settled(page);
    const scrolled = await burst('scrolling', () => {
      for (let i = 1; i <= 50; i++) document.querySelector('#events').scrollTop = i * 4000;
    });
    assert.equal(scrolled.chart, 0, 'scrolling the list leaves the timeline alone');
    assert.ok(scrolled.list > 0, 'the list follows the scrolling');

    await page.click('#fit');
    await settled(page);
    const found = await measured(page);
    for (const [name, { elements }] of Object.entries(found)) assert.ok(elements < 3000, `${name}: ${elements} elements are made in one frame`);
    keep('frames.json', `${JSON.stringify(found, null, 2)}\n`);
  },
};
