// Takes the picture of README.md: the timeline of one run, as the report draws it.
// usage: node picture.mjs REPORT.html PICTURE.png
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from '../browser/browser.mjs';

const [report, picture] = process.argv.slice(2).map((p) => resolve(p));
const { context, close } = await launch({ viewport: { width: 1200, height: 1000 }, colorScheme: 'light', deviceScaleFactor: 2 });
const page = await context.newPage();
await page.goto(pathToFileURL(report).href);
await page.waitForSelector('body[data-ready]');
await page.click('#dropped');
await page.evaluate(() => document.activeElement.blur());
await page.mouse.move(0, 0);
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
await page.locator('.charts').screenshot({ path: picture });
await close();
