// A headless browser with a profile of its own: Debian's, or the one that
// $CHROMIUM names.
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function executable() {
  const found = places.find((p) => p && existsSync(p));
  if (!found) throw new Error('there is no Chromium: install the package chromium, or name the program in $CHROMIUM');
  return found;
}

// launch starts the browser; close ends it and removes its profile.
export async function launch(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'vmreplay-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable(),
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    viewport: { width: 1440, height: 1000 },
    ...options,
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
