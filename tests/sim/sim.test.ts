import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { type ClusterPort, type FileCommit, filesToSend, type OffsetsCommit } from '@weir/cluster';
import { type Clock, jsonLog, type Random, systemClock, systemEnvironment } from '@weir/core';
import type { SeedOutcome, SeedWork } from './seed-worker.ts';
import { addTally, newTally, type Tally } from './tally.ts';
import { SimulationFailed, simulate, type WorldOptions } from './world.ts';

/**
 * `node tests/sim/sim.test.ts` runs a thousand seeds, or as many as `WEIR_SIMULATED_CLUSTERS` says. `--seed 7` runs one
 * and prints its events, with the logs of all processes if `--log` is given; `--seeds 5000 --from 1001` runs others;
 * `--moves-midway` lets idempotent producers change leaders as Apache's do.
 */
const usualSeeds = Number(systemEnvironment.WEIR_SIMULATED_CLUSTERS ?? 1_000);
const seedsPerTest = 25;
const threadsMax = 4;

const option = (name: string): number | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};
const movesMidway = process.argv.includes('--moves-midway');
const write = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Runs seeds in worker threads: this uses all cores, and avoids the test runner's promise tracking in its own thread.
 */
function inThread(work: SeedWork): Promise<SeedOutcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.resolve('./seed-worker.ts')), { workerData: work });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a thread ended without an answer')));
  });
}

async function simulateMany(from: number, count: number): Promise<Tally> {
  const sum = newTally();
  const startMs = systemClock.monotonicMs();
  const threads = Math.min(threadsMax, availableParallelism());
  const outcomes = await Promise.all(
    Array.from({ length: threads }, (_, index) =>
      inThread({ from: from + index, below: from + count, step: threads, movesMidway }),
    ),
  );
  for (const outcome of outcomes) {
    if ('failure' in outcome) assert.fail(outcome.failure);
    addTally(sum, outcome.tally);
  }
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  write(`${count} seeds in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(1)} a second`);
  write(JSON.stringify(sum));
  return sum;
}

const one = option('--seed');

const title = 'what was acknowledged is readable once, at its offset, in its order, whatever fails';

if (one !== undefined) {
  test(title, async () => {
    const log = jsonLog({ level: 'debug', nowMs: () => 0, write });
    await simulate(one, { movesMidway, onNote: write, ...(process.argv.includes('--log') ? { log } : {}) });
  });
} else {
  // In portions, so that a run shows how far it is.
  describe(title, () => {
    const sum = newTally();
    const first = option('--from') ?? 1;
    const count = option('--seeds') ?? usualSeeds;
    for (let from = first; from < first + count; from += seedsPerTest) {
      const seeds = Math.min(seedsPerTest, first + count - from);
      test(`seeds ${from} to ${from + seeds - 1}`, async () =>
        addTally(sum, await simulateMany(from, seeds)));
    }
    // A run without faults would prove little.
    test('every fault happened often', () => {
      for (const [what, times] of Object.entries(sum)) assert.ok(times > count / 10, `${what}: ${times}`);
    });
  });
}

for (const [what, parts] of [
  ['a topic alone', { hasGroups: false, hasSchemas: false, hasDeletions: false }],
  ['groups', { hasGroups: true, hasSchemas: false, hasDeletions: false }],
  ['schemas', { hasGroups: false, hasSchemas: true, hasDeletions: false }],
  ['deletions', { hasGroups: false, hasSchemas: false, hasDeletions: true }],
] as const) {
  test(`a seed is the whole truth, with ${what}`, async () => {
    const notes = [[] as string[], [] as string[]] as const;
    for (const list of notes) await simulate(42, { ...parts, onNote: (line) => list.push(line) });
    assert.deepEqual(notes[0], notes[1]);
  });
}

/** Simulates a world with a bug, which the checks have to find with one of the first seeds. */
async function finds({ expected, ...bug }: Bug): Promise<void> {
  for (let seed = 1; seed <= 10; seed++) {
    try {
      await simulate(seed, { hasGroups: false, hasSchemas: false, hasDeletions: false, ...bug });
    } catch (error) {
      assert.ok(error instanceof SimulationFailed);
      assert.match(error.message, expected);
      assert.match(error.message, new RegExp(`^seed ${seed}: `));
      return;
    }
  }
  assert.fail('no seed found it');
}

interface Bug {
  readonly sabotage: WorldOptions['sabotage'] & {};
  /** The expected report of the checks. */
  readonly expected: RegExp;
  readonly hasGroups?: boolean;
  readonly hasSchemas?: boolean;
  readonly hasDeletions?: boolean;
}

const bugs: Readonly<Record<string, Bug>> = {
  'an acknowledgement without a commit': {
    sabotage: forgets,
    expected: /is lost|where|not within|ends at|OUT_OF/,
  },
  'an agent that forgets who produced': { sabotage: anonymises, expected: /is there \d+ times|comes behind/ },
  'two batches that changed places': {
    sabotage: swaps,
    expected: /comes behind|where|OUT_OF|another number/,
  },
  'an abort that commits': {
    hasGroups: true,
    sabotage: (port) => ({
      ...port,
      endTransaction: (end) => port.endTransaction({ ...end, isCommit: true }),
    }),
    expected: /is of an aborted transaction|belongs/,
  },
  'a commit that aborts': {
    hasGroups: true,
    sabotage: (port) => ({
      ...port,
      endTransaction: (end) => port.endTransaction({ ...end, isCommit: false }),
    }),
    expected: /where the copy of|not at the end/,
  },
  'a transaction that leaves its offsets out': {
    hasGroups: true,
    sabotage: (port) => ({
      ...port,
      commitTransactionOffsets: async ({ offsets }) => ({
        error: 'NONE',
        message: null,
        offsets: offsets.map(() => 'NONE'),
      }),
    }),
    expected: /where the copy of/,
  },
  'commits that are passed on late, and do not say when they came': {
    hasGroups: true,
    sabotage: (port, random, clock) => {
      const late = passesCommitsOnLate(port, random, clock);
      const withoutOrigin = (commits: readonly OffsetsCommit[]) =>
        commits.map((commit) => ({ ...commit, origin: undefined }));
      return { ...port, commitOffsets: (commits) => late.commitOffsets(withoutOrigin(commits)) };
    },
    expected: /is committed to \d+, after/,
  },
  'offsets that are acknowledged and forgotten': {
    hasGroups: true,
    sabotage: forgetsOffsets,
    expected: /is committed to \d+, after/,
  },
  'schemas that are acknowledged and forgotten': {
    hasSchemas: true,
    sabotage: (port, random) => ({
      ...port,
      async changeRegistry(request) {
        if (random.next() < 0.9) return port.changeRegistry(request);
        const { expectedRevision, changes } = request;
        return { error: 'NONE', message: null, revision: expectedRevision + changes.length };
      },
    }),
    expected: /two schemas|another schema|another id|another version|is lost|after \d+ was acknowledged/,
  },
  'a log start that goes back': {
    hasDeletions: true,
    sabotage: (port, random) => ({
      ...port,
      async findBatches(queries) {
        const answers = await port.findBatches(queries);
        const back = (offset: number) => (random.next() < 0.1 ? Math.max(0, offset - 3) : offset);
        return answers.map((answer) => ({ ...answer, logStartOffset: back(answer.logStartOffset) }));
      },
    }),
    expected: /begins at \d+, after/,
  },
  'an agent that writes schemas whatever others have written': {
    hasSchemas: true,
    sabotage: (port) => ({
      ...port,
      async changeRegistry(request) {
        const result = await port.changeRegistry(request);
        if (result.error !== 'STALE') return result;
        return port.changeRegistry({ ...request, expectedRevision: result.revision });
      },
    }),
    expected: /two schemas|another schema|another id|another version|is lost|after \d+ was acknowledged/,
  },
};

/** Forwards commits after their clients have given up on them. */
function passesCommitsOnLate(port: ClusterPort, random: Random, clock: Clock): ClusterPort {
  return {
    ...port,
    async commitOffsets(commits) {
      const delayMs = random.next() < 0.3 ? 3_000 + random.next() * 4_000 : 0;
      if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      return port.commitOffsets(commits);
    },
  };
}

test('commits that agents pass on late undo nothing', async () => {
  for (let seed = 1; seed <= 4; seed++)
    await simulate(seed, { hasGroups: true, sabotage: passesCommitsOnLate });
});

function forgetsOffsets(port: ClusterPort, random: Random): ClusterPort {
  return {
    ...port,
    async commitOffsets(commits) {
      if (random.next() > 0.5) return port.commitOffsets(commits);
      return commits.map(({ offsets }) => ({ error: 'NONE', offsets: offsets.map(() => 'NONE') }));
    },
  };
}

function forgets(port: ClusterPort, random: Random): ClusterPort {
  return {
    ...port,
    async commitFiles(files) {
      if (random.next() > 0.05) return port.commitFiles(files);
      return filesToSend(files).map(({ topic }) => ({
        error: new Uint8Array(topic.length),
        baseOffset: new Float64Array(topic.length).fill(7),
        logStartOffset: new Float64Array(topic.length),
      }));
    },
  };
}

function anonymises(port: ClusterPort): ClusterPort {
  const withoutProducer = (file: FileCommit) => ({
    ...file,
    producerId: new Float64Array(file.topic.length).fill(-1),
  });
  return { ...port, commitFiles: (files) => port.commitFiles(() => filesToSend(files).map(withoutProducer)) };
}

/** Reverses the producer columns of a file, so that rows carry each other's producer and sequence. */
function swaps(port: ClusterPort): ClusterPort {
  return {
    ...port,
    commitFiles: (files) =>
      port.commitFiles(() =>
        filesToSend(files).map((file) => ({
          ...file,
          producerId: file.producerId.toReversed(),
          producerEpoch: file.producerEpoch.toReversed(),
          baseSequence: file.baseSequence.toReversed(),
        })),
      ),
  };
}

for (const [name, bug] of Object.entries(bugs)) {
  test(`the checks find ${name}`, () => finds(bug));
}
