import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingChromium } from './chromium.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, type Stage } from './stage.ts';

/** A page, and what a person finds on it. */
export interface PageCase {
  /** Below the URL of the console; `{id}` is the cluster. */
  readonly path: string;
  readonly shows: readonly (string | RegExp)[];
}

/** Names of tests stay on one line. */
const titleCharsMax = 80;

/**
 * Opens each page: light and dark without a rule of accessibility broken, and on a phone without being wider than it.
 * The stage fails the test if a page complains to the console of the browser.
 */
export function testPages(stageOf: () => Stage, pages: readonly PageCase[]): void {
  for (const { path, shows } of pages) {
    const bounded = { skip: missingChromium(), timeout: 180_000 };
    test(`${path.slice(0, titleCharsMax)} in light, in dark and on a phone`, bounded, async () => {
      const page = await stageOf().open();
      await page.goto(await stageOf().urlOf(path));
      for (const text of shows) await page.locator('main').getByText(text).first().waitFor();
      assert.deepEqual(await accessibilityProblems(page), [], 'in light');
      await page.evaluate(`document.documentElement.classList.add('dark')`);
      assert.deepEqual(await accessibilityProblems(page), [], 'in dark');
      await assertFitsPhone(page);
      await page.context().close();
    });
  }
}
