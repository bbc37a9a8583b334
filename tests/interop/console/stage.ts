import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { type Lifetime, lastFirst, startLocal, type WeirProcess } from '../brokers/weir-process.ts';
import { chromiumPath } from './chromium.ts';

const root = join(import.meta.dirname, '../../..');

export interface Stage {
  readonly local: WeirProcess;
  readonly url: string;
  /** A new page of a person who is signed in. What the page complains about fails the test when it ends. */
  open(options?: PageOptions): Promise<Page>;
  /** The id of its Kafka cluster. */
  clusterId(): Promise<string>;
}

interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly isSignedIn?: boolean;
}

/** A local cluster with the console, and a real browser. */
export async function openStage(t: Lifetime): Promise<Stage> {
  execFileSync(process.execPath, [join(root, 'scripts/build-console.mjs')], { stdio: 'ignore' });
  const lifetime = lastFirst(t);
  const local = await startLocal(lifetime);
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    // Root has no sandbox; pages come from this machine alone.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  lifetime.after(() => browser.close());
  const signInUrl = /sign in +(\S+)/.exec(local.output.out)![1]!;
  const url = local.address('control plane');
  const complaints: string[] = [];
  lifetime.after(async () => assert.deepEqual(complaints, []));
  const stage: Stage = {
    local,
    url,
    async clusterId() {
      const page = await stage.open();
      const clusters = await page.evaluate(async () => {
        const answer = await fetch('/api/v1/list_virtual_clusters');
        return ((await answer.json()) as { virtual_clusters: { id: string; type: string }[] })
          .virtual_clusters;
      });
      await page.context().close();
      return clusters.find(({ type }) => type === 'byoc')!.id;
    },
    async open({ scheme = 'light', width = 1440, isSignedIn = true } = {}) {
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } });
      // The machine may be busy with all other tests. No test measures this time.
      context.setDefaultTimeout(90_000);
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => void complaints.push(message));
      page.on('console', (message) => {
        // Pages show what an operation refused; the browser says so too.
        const isRefusal = message.location().url.includes('/api/v1/');
        if (message.type() === 'error' && !isRefusal) complaints.push(`${page.url()}: ${message.text()}`);
      });
      if (isSignedIn) await page.goto(signInUrl);
      return page;
    },
  };
  return stage;
}

/** Rules of WCAG 2.2 AA that the page as it is now breaks, with the elements. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Added by the protocol of the browser, because the policy of the page allows no script from elsewhere.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
    );
  });
}
