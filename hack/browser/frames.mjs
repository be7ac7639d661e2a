// What a page does in a frame: how often it draws its parts anew, how many
// elements it makes for that, and how long the frames take.

// redraws counts how often timeline and list are drawn while something is done.
export async function redraws(page, act, settled) {
  await page.evaluate(() => {
    const seen = window.redrawn = { chart: 0, list: 0 };
    const count = (part) => (records) => { seen[part] += records.filter((r) => r.addedNodes.length).length; };
    const watch = (part, selector) => {
      const observer = new MutationObserver(count(part));
      observer.observe(document.querySelector(selector), { childList: true });
      return observer;
    };
    window.observers = [watch('chart', '.chart svg'), watch('list', '#events > div')];
  });
  await act();
  await settled(page);
  return page.evaluate(() => {
    for (const o of window.observers) o.disconnect();
    return window.redrawn;
  });
}

// measured uses the page as a hand would. By action it gives the number of frames,
// their times in milliseconds, and the most elements made in one.
export async function measured(page) {
  await page.evaluate(() => {
    const all = window.frames_ = [];
    let made = 0, last = performance.now();
    new MutationObserver((records) => {
      for (const r of records) for (const n of r.addedNodes) made += 1 + (n.querySelectorAll?.('*').length ?? 0);
    }).observe(document.body, { childList: true, subtree: true });
    const tick = (now) => {
      all.push({ took: now - last, made });
      last = now;
      made = 0;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const found = {};
  const during = async (name, act) => {
    await page.evaluate(() => { window.frames_.length = 0; });
    await act();
    const frames = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done([...window.frames_])))));
    const took = frames.map((f) => f.took).sort((a, b) => a - b);
    const at = (part) => Math.round(took[Math.floor((took.length - 1) * part)] * 10) / 10;
    found[name] = { frames: took.length, median: at(0.5), p95: at(0.95), longest: at(1), elements: Math.max(...frames.map((f) => f.made)) };
  };
  const times = (n, act) => async () => { for (let i = 0; i < n; i++) await act(); };
  const over = async (selector) => {
    const box = await page.locator(selector).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + Math.min(box.height / 2, 80));
  };
  await page.locator('#events').scrollIntoViewIfNeeded();
  await over('#events');
  await during('scroll the list', times(30, () => page.mouse.wheel(0, 400)));
  await page.locator('.surface').scrollIntoViewIfNeeded();
  await over('.surface');
  await page.keyboard.down('Control');
  await during('zoom in', times(20, () => page.mouse.wheel(0, -100)));
  await during('zoom out', times(20, () => page.mouse.wheel(0, 100)));
  await page.keyboard.up('Control');
  await during('pan', times(20, () => page.mouse.wheel(60, 0)));
  await page.focus('#object');
  await during('type into the filter', () => page.keyboard.type('migration'));
  await page.fill('#object', '');
  await page.focus('#events');
  await during('go from event to event', times(20, () => page.keyboard.press('ArrowDown')));
  return found;
}
