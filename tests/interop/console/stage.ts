import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
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
  /** The URL of a path in which `{id}` is that cluster, and `{agent}` its first agent. */
  urlOf(path: string): Promise<string>;
}

/** The machine may be busy with all other tests. No test measures this time. */
const busyTimeoutMs = 90_000;

type SessionState = Awaited<ReturnType<BrowserContext['storageState']>>;

interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly isSignedIn?: boolean;
}

/** A local cluster with the console, and a real browser. */
export async function openStage(t: Lifetime): Promise<Stage> {
  buildConsole();
  const lifetime = lastFirst(t);
  const local = await startLocal(lifetime);
  const signInUrl = /sign in +(\S+)/.exec(local.output.out)![1]!;
  return { local, ...(await openBrowser(lifetime, local.address('control plane'), signInUrl)) };
}

export function buildConsole(): void {
  execFileSync(process.execPath, [join(root, 'scripts/build-console.mjs')], { stdio: 'ignore' });
}

/** A real browser, without a session. */
export async function launchBrowser(lifetime: Lifetime): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    // Root has no sandbox; pages come from this machine alone.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  lifetime.after(() => browser.close());
  return browser;
}

/** A browser whose pages are those of a person who signs in at a control plane. */
export async function openBrowser(
  lifetime: Lifetime,
  url: string,
  signInUrl: string,
): Promise<Omit<Stage, 'local'>> {
  const browser = await launchBrowser(lifetime);
  let session: Promise<SessionState> | undefined;
  const signIn = async () => {
    const context = await browser.newContext();
    context.setDefaultTimeout(busyTimeoutMs);
    await (await context.newPage()).goto(signInUrl);
    const state = await context.storageState();
    await context.close();
    return state;
  };
  const complaints: string[] = [];
  lifetime.after(async () => assert.deepEqual(complaints, []));
  let found: Promise<string> | undefined;
  const findCluster = async () => {
    const page = await stage.open();
    await page.goto(url);
    const clusters = await page.evaluate(async () => {
      const answer = await fetch('/api/v1/list_virtual_clusters');
      return ((await answer.json()) as { virtual_clusters: { id: string; type: string }[] }).virtual_clusters;
    });
    await page.context().close();
    return clusters.find(({ type }) => type === 'byoc')!.id;
  };
  let agent: Promise<string> | undefined;
  const findAgent = async (clusterId: string) => {
    const page = await stage.open();
    await page.goto(url);
    const answer = await page.request.post(`${url}/api/v1/list_agents`, {
      data: { virtual_cluster_id: clusterId },
      headers: { origin: url },
    });
    const { agents } = (await answer.json()) as { agents: { agent_id: string }[] };
    await page.context().close();
    return agents[0]!.agent_id;
  };
  const stage: Omit<Stage, 'local'> = {
    url,
    clusterId() {
      found ??= findCluster();
      return found;
    },
    urlOf: async (path) => {
      const clusterId = await stage.clusterId();
      const named = path.replaceAll('{id}', clusterId);
      if (!named.includes('{agent}')) return url + named;
      agent ??= findAgent(clusterId);
      return url + named.replaceAll('{agent}', await agent);
    },
    async open({ scheme = 'light', width = 1440, isSignedIn = true } = {}) {
      if (isSignedIn) session ??= signIn();
      const context = await browser.newContext({
        colorScheme: scheme,
        // Colours on their way from one theme to the other would count as those of the page.
        reducedMotion: 'reduce',
        viewport: { width, height: 900 },
        ...(isSignedIn ? { storageState: await session! } : {}),
      });
      context.setDefaultTimeout(busyTimeoutMs);
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => void complaints.push(message));
      page.on('console', (message) => {
        // Pages show what an operation refused; the browser says so too.
        const { url: source } = message.location();
        const isUnknownPage = source === page.url() && message.text().includes('404');
        const isRefusal = source.includes('/api/v1/') || isUnknownPage;
        if (message.type() === 'error' && !isRefusal) complaints.push(`${page.url()}: ${message.text()}`);
      });
      return page;
    },
  };
  return stage;
}

/** The rules of WCAG 2.2 AA, by their names in axe. */
export const wcagRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] as const;

/** Rules that the page as it is now breaks, with the elements: of WCAG 2.2 AA, and good practice unless named. */
export async function accessibilityProblems(
  page: Page,
  rules: readonly string[] = [...wcagRules, 'best-practice'],
): Promise<readonly string[]> {
  // Added by the protocol of the browser, because the policy of the page allows no script from elsewhere.
  await page.evaluate(axe.source);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run({ runOnly });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
    );
  }, rules);
}
