import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '@weir/core';
import type { Page } from 'playwright-core';
import { startDemo } from '../../../packages/cli/testing/running-demo.ts';
import type { Lifetime } from '../brokers/weir-process.ts';
import { missingChromium } from './chromium.ts';
import { kafkaOf } from './kafka.ts';
import { buildConsole, openBrowser, openStage } from './stage.ts';

/**
 * `npm run test:console-scale`: scrolls a list of 10,000 topics and one of 100,000 partitions in a real browser, and
 * opens the overview of a cluster under the load of a demo. Fails if a task of a page takes longer than 50 ms while it
 * scrolls, or if the overview is not usable within a second. The machine should do nothing else.
 */

const topicCount = 10_000;
const partitionCount = 100_000;
const createdAtOnce = 1_000;
/** Beyond it a browser counts a task as long. */
const taskMsMax = 50;
const overviewMsMax = 1_000;

const { values } = parseArgs({
  options: {
    /** `scroll` or `overview`; both if empty. */
    only: { type: 'string', default: '' },
    /** How often each is measured. */
    runs: { type: 'string', default: '5' },
    /** How long the demo runs before the overview is opened. */
    seconds: { type: 'string', default: '60' },
  },
});
const runs = Number(values.runs);

/** Runs in the page before its own scripts. */
const measureTasks = `
  window.longTasksMs = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasksMs.push(Math.round(duration));
  }).observe({ type: 'longtask', buffered: true });
`;

/** Runs in the page before its own scripts. */
const measureSights = `
  window.firstSeenMs = {};
  const sentence = () => document.querySelector('main p.text-lg')?.textContent ?? '';
  const looks = {
    sentence: () => sentence() !== '' && sentence() !== 'Loading …',
    figure: () => document.querySelector('main dl svg[role="img"]') !== null,
    chart: () => document.querySelector('main canvas') !== null,
  };
  new MutationObserver(() => {
    for (const [what, isSeen] of Object.entries(looks))
      if (firstSeenMs[what] === undefined && isSeen()) firstSeenMs[what] = Math.round(performance.now());
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The processor time of the longest task of a page: what a task takes where nothing else runs. */
function longestTaskMs(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const times = traceEvents
    .filter((event) => event.ph === 'X' && event.name.endsWith('RunTask') && pages.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1000);
  return times.reduce((longest, ms) => Math.max(longest, ms), 0);
}

/** Scrolls a table by the wheel from top to bottom and back, and then in jumps, as a dragged scroll bar does. */
async function scroll(page: Page, label: string): Promise<number> {
  const grid = page.getByRole('grid', { name: label, exact: true });
  await grid.locator('[data-row="0"]').waitFor();
  await grid.hover();
  const bottom = () => grid.evaluate((element) => element.scrollHeight - element.clientHeight);
  const frame = () => page.evaluate('new Promise(requestAnimationFrame)');
  const distance = await bottom();
  const wheelSteps = 150;
  // Rows come into view one by one at first, and by the thousand later.
  for (let step = 0; step < wheelSteps; step++) {
    await page.mouse.wheel(0, 300);
    await frame();
  }
  for (let step = 0; step < wheelSteps; step++) {
    await page.mouse.wheel(0, distance / wheelSteps);
    await frame();
  }
  for (let step = 0; step < wheelSteps / 5; step++) {
    await page.mouse.wheel(0, (-distance / wheelSteps) * 5);
    await frame();
  }
  for (const part of [0.5, 0.1, 0.9, 0.33, 0.66, 1, 0]) {
    await grid.evaluate((element, top) => element.scrollTo({ top }), distance * part);
    // The rows there arrive.
    await grid.locator('[data-row]:not([aria-busy])').first().waitFor();
    await frame();
  }
  await grid.locator('[data-row="0"]').waitFor();
  return distance;
}

async function measureScrolling(lifetime: Lifetime): Promise<boolean> {
  const stage = await openStage(lifetime);
  await kafkaOf(stage.local.address('Kafka'), async ({ admin }) => {
    for (let first = 0; first < topicCount; first += createdAtOnce) {
      const topics = Array.from({ length: createdAtOnce }, (_, index) => ({
        topic: `topic-${String(first + index).padStart(5, '0')}`,
        numPartitions: 1,
      }));
      await admin.createTopics({ topics, waitForLeaders: false });
    }
    await admin.createTopics({
      topics: [{ topic: 'wide', numPartitions: partitionCount }],
      waitForLeaders: false,
    });
  });
  const lists = [
    ['Topics', '/clusters/{id}/topics', topicCount + 1],
    ['Partitions', '/clusters/{id}/topics/wide', partitionCount],
  ] as const;
  let isGood = true;
  for (let run = 0; run < runs; run++) {
    for (const [label, path, rows] of lists) {
      const page = await stage.open();
      await page.addInitScript({ content: measureTasks });
      await page.goto(await stage.urlOf(path));
      await page.locator(`[role="grid"][aria-rowcount="${rows + 1}"]`).waitFor();
      const browser = page.context().browser()!;
      await browser.startTracing(page, { categories: ['toplevel'] });
      await page.evaluate('longTasksMs.splice(0)');
      const startMs = systemClock.monotonicMs();
      const distance = await scroll(page, label);
      const seconds = ((systemClock.monotonicMs() - startMs) / 1000).toFixed(1);
      const tasks = (await page.evaluate<number[]>('longTasksMs')).filter((ms) => ms > taskMsMax);
      const processorMs = longestTaskMs(await browser.stopTracing());
      isGood &&= tasks.length === 0;
      print(
        `${label}: ${rows} rows, ${distance} px in ${seconds} s: ${tasks.length} tasks over ${taskMsMax} ms` +
          `${tasks.length === 0 ? '' : `, longest ${Math.max(...tasks)} ms`}; ` +
          `longest by processor time ${processorMs.toFixed(0)} ms (${machine()})`,
      );
      await page.context().close();
    }
  }
  return isGood;
}

type Times = Readonly<Record<string, number>>;

async function measureOverview(lifetime: Lifetime): Promise<boolean> {
  const demo = await startDemo([]);
  lifetime.after(async () => void (await demo.stop()));
  const found = (pattern: RegExp) => pattern.exec(demo.stdout())![1]!;
  const stage = await openBrowser(lifetime, found(/control plane +(\S+)/), found(/sign in +(\S+)/));
  const url = await stage.urlOf('/clusters/{id}');
  await new Promise<void>((resolve) => systemClock.after(Number(values.seconds) * 1000, resolve));
  const measured: Record<'cold' | 'warm', Times[]> = { cold: [], warm: [] };
  for (let run = 0; run < runs; run++) {
    // A context of its own begins with an empty cache.
    const page = await stage.open();
    await page.addInitScript({ content: measureSights });
    for (const kind of ['cold', 'warm'] as const) {
      await page.goto(url);
      await page.locator('main canvas').first().waitFor();
      await page.locator('main dl svg[role="img"]').first().waitFor();
      const times = await page.evaluate<Times>('firstSeenMs');
      measured[kind].push(times);
      print(
        `overview, ${kind}: ${Object.entries(times)
          .map(([what, ms]) => `${what} ${ms} ms`)
          .join(', ')} (${machine()})`,
      );
    }
    await page.context().close();
  }
  let isGood = true;
  for (const [kind, times] of Object.entries(measured)) {
    const medians = ['sentence', 'figure', 'chart'].map(
      (what) => [what, median(times.map((one) => one[what] ?? Number.POSITIVE_INFINITY))] as const,
    );
    isGood &&= medians.every(([, ms]) => ms <= overviewMsMax);
    print(`overview, ${kind}, medians: ${medians.map(([what, ms]) => `${what} ${ms} ms`).join(', ')}`);
  }
  return isGood;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function machine(): string {
  return `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const missing = missingChromium();
if (missing !== false) throw new Error(missing);
buildConsole();
const parts = { scroll: measureScrolling, overview: measureOverview };
for (const [name, part] of Object.entries(parts)) {
  if (values.only !== '' && values.only !== name) continue;
  const cleanUps: (() => Promise<void>)[] = [];
  try {
    const isGood = await part({ after: (cleanUp) => void cleanUps.push(cleanUp) });
    if (!isGood) process.exitCode = 1;
    print(`${name}: ${isGood ? 'ok' : 'MISSED'}`);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}
