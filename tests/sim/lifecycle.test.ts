import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { jsonLog, systemClock } from '@weir/core';
import { addLifeTally, type LifeTally, newLifeTally } from './lifecycle/life-tally.ts';
import { LifecycleFailed, simulateMonth } from './lifecycle/life-world.ts';
import type { MonthOutcome, MonthWork } from './lifecycle/month-worker.ts';
import { plantedBugs } from './lifecycle/planted-bugs.ts';
import { dayMs } from './lifecycle/setting.ts';

/**
 * The life of files in a month, by seeds: `node tests/sim/lifecycle.test.ts` runs a few. `--seeds 1000 --from 1` runs
 * others, `--seed 7` runs one and prints what happens in it, with the logs of all processes if `--log` is given, and
 * `--bugs` shows that every planted bug is found.
 */
const usualSeeds = 2;
const threadsMax = 4;
/** A bug that is found with none of these many seeds counts as not found. */
const bugSeeds = 4;

const option = (name: string): number | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};
const write = (line: string) => process.stdout.write(`${line}\n`);
const one = option('--seed');

function inThread(work: MonthWork): Promise<MonthOutcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.resolve('./lifecycle/month-worker.ts')), {
      workerData: work,
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a thread ended without an answer')));
  });
}

async function simulateMonths(from: number, count: number): Promise<LifeTally> {
  const startMs = systemClock.monotonicMs();
  const threads = Math.min(threadsMax, availableParallelism(), count);
  const outcomes = await Promise.all(
    Array.from({ length: threads }, (_, index) =>
      inThread({ from: from + index, below: from + count, step: threads }),
    ),
  );
  const sum = newLifeTally();
  for (const outcome of outcomes) {
    if ('failure' in outcome) assert.fail(outcome.failure);
    addLifeTally(sum, outcome.tally);
  }
  write(`${count} months in ${((systemClock.monotonicMs() - startMs) / 1000).toFixed(1)} s`);
  write(JSON.stringify(sum));
  return sum;
}

test('files end when nothing needs them, and no record is lost, doubled or brought back in a month', async () => {
  if (one !== undefined) {
    const log = jsonLog({ level: 'debug', nowMs: () => 0, write });
    await simulateMonth(one, { onNote: write, ...(process.argv.includes('--log') ? { log } : {}) });
    return;
  }
  const count = option('--seeds') ?? usualSeeds;
  const tally = await simulateMonths(option('--from') ?? 1, count);
  // A month in which nothing happens would prove little.
  for (const [what, times] of Object.entries(tally)) assert.ok(times > 0, `${what}: ${times}`);
});

test('a seed is the whole truth', async () => {
  const notes = [[] as string[], [] as string[]] as const;
  for (const list of notes) await simulateMonth(42, { busyMs: 2 * dayMs, onNote: (line) => list.push(line) });
  assert.deepEqual(notes[0], notes[1]);
});

/** Simulates months with a bug until the checks find it. */
async function finds(name: string): Promise<void> {
  const { sabotage, expected } = plantedBugs[name]!;
  for (let seed = 1; seed <= bugSeeds; seed++) {
    try {
      await simulateMonth(seed, { sabotage });
    } catch (error) {
      assert.ok(error instanceof LifecycleFailed, String((error as Error).stack));
      assert.match(error.message, expected);
      assert.match(error.message, new RegExp(`--seed ${seed}$`));
      return;
    }
  }
  assert.fail('no seed found it');
}

for (const [name, { isQuick = false }] of Object.entries(plantedBugs)) {
  if (one === undefined && (isQuick || process.argv.includes('--bugs')))
    test(`the checks find ${name}`, () => finds(name));
}
