import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@weir/core';
import { startDemo } from '../../../packages/cli/testing/running-demo.ts';
import { missingChromium } from './chromium.ts';
import { everyPage } from './every-page.ts';
import { accessibilityProblems, buildConsole, openBrowser } from './stage.ts';

/**
 * `npm run screenshots`: opens every page of the console with the data of a demo, checks it as the tests of pages do,
 * and writes its pictures to docs/guides/console/.
 */

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(import.meta.dirname, '../../../docs/guides/console') },
    /** How long the demo runs before the first picture, so that charts and diagnostics have something to show. */
    seconds: { type: 'string', default: '240' },
    /** Also dark, and on a phone. */
    all: { type: 'boolean', default: false },
    /** Only pages whose name contains it, or one of several between commas. */
    only: { type: 'string', default: '' },
  },
});

const looks = [
  { suffix: '', scheme: 'light', width: 1440 },
  ...(values.all
    ? ([
        { suffix: '-dark', scheme: 'dark', width: 1440 },
        { suffix: '-phone', scheme: 'light', width: 390 },
      ] as const)
    : []),
] as const;

const isWanted = (name: string) => values.only.split(',').some((part) => name.includes(part));

const missing = missingChromium();
if (missing !== false) throw new Error(missing);
buildConsole();
const cleanUps: (() => Promise<unknown>)[] = [];
const demo = await startDemo([]);
cleanUps.push(() => demo.stop());
let status = 0;
try {
  const found = (pattern: RegExp) => pattern.exec(demo.stdout())![1]!;
  const lifetime = { after: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) };
  const stage = await openBrowser(lifetime, found(/control plane +(\S+)/), found(/sign in +(\S+)/));
  await new Promise<void>((resolve) => systemClock.after(Number(values.seconds) * 1000, resolve));
  mkdirSync(values.to, { recursive: true });
  for (const { name, path, shows } of everyPage.filter(({ name }) => isWanted(name))) {
    for (const { suffix, scheme, width } of looks) {
      const page = await stage.open({ scheme, width });
      page.setDefaultTimeout(20_000);
      try {
        await page.goto(await stage.urlOf(path));
        await page.locator('main').getByText(shows).first().waitFor();
        await page.waitForLoadState('networkidle').catch(() => {});
        assert.deepEqual(await accessibilityProblems(page), []);
      } catch (error) {
        status = 1;
        process.stderr.write(`${name}${suffix}: ${error instanceof Error ? error.message : String(error)}\n`);
      }
      await page.screenshot({ path: join(values.to, `${name}${suffix}.png`) });
      await page.context().close();
    }
    process.stdout.write(`${name}\n`);
  }
} finally {
  for (const cleanUp of cleanUps.reverse()) {
    await cleanUp().catch((error: unknown) => {
      status = 1;
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  }
}
process.exitCode = status;
