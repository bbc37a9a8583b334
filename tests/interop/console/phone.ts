import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const phonePx = 360;
/** Charts follow the window some frames later, on a busy machine many. */
const framesMax = 600;

/** Asserts that a page fits on a phone, whose size the window then has. */
export async function assertFitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: phonePx, height: 900 });
  let widthPx = Number.POSITIVE_INFINITY;
  for (let frames = 0; frames < framesMax && widthPx > phonePx; frames++) {
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    widthPx = await page.evaluate<number>('document.documentElement.scrollWidth');
  }
  assert.ok(widthPx <= phonePx, `it is ${widthPx} px wide`);
  const wide = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('[role="grid"]')].filter((grid) => grid.scrollWidth > grid.clientWidth + 1).map((grid) => grid.ariaLabel + ': ' + grid.scrollWidth)`,
  );
  assert.deepEqual(wide, [], 'tables that scroll sideways');
}
