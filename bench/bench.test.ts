import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type Benchmark, Skipped } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { type SharedCluster, startSharedCluster } from './shared-cluster.ts';
import { median, sideBySide } from './side-by-side.ts';

const title = ({ name }: Benchmark) => `${name} runs, and what it counts meets its bar`;
const tested = benchmarks.filter(({ isLong }) => isLong !== true);
const withServers = tested.filter(({ startsServers }) => startsServers);

for (const benchmark of tested) {
  if (!withServers.includes(benchmark)) test(title(benchmark), (t) => smoke(t, benchmark));
}

// Servers take most of this time to start, so that these benchmarks share a cluster and run together.
describe('benchmarks with servers', { concurrency: withServers.length }, () => {
  const ended = Promise.withResolvers<void>();
  const shared = Promise.withResolvers<SharedCluster>();
  // Each test reports a failed start.
  shared.promise.catch(() => {});
  let lifetime: Promise<void> | undefined;
  // Not for a filter that chooses none of them.
  before(() => {
    lifetime = Lifetime.during(async (of) => {
      shared.resolve(startSharedCluster(of));
      await ended.promise;
    });
  });
  after(async () => {
    ended.resolve();
    await lifetime;
  });
  for (const benchmark of withServers) {
    test(title(benchmark), async (t) => smoke(t, benchmark, await shared.promise));
  }
});

async function smoke(t: TestContext, benchmark: Benchmark, shared?: SharedCluster): Promise<void> {
  const effort = { turns: 1, turnMs: 0, ...(shared && { shared }) };
  const rows = await benchmark.run(effort).catch((error: Error) => {
    if (error instanceof Skipped) return t.skip(error.message);
    throw error;
  });
  if (rows === undefined) return;
  assert.notEqual(rows.length, 0);
  for (const { what, result, unit, bar } of rows) {
    assert.ok(Number.isFinite(result), what);
    // Byte counts are the same on every machine. Times are not, so the test does not check them.
    if (unit === 'bytes') assert.ok(bar?.isMet(result), `${what}: ${result}`);
  }
}

test('the ratio is that of neighbouring turns', async () => {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, after: () => () => {} };
  // The simulated machine keeps slowing down; the ratio must not change.
  let slowness = 1;
  const contender = (name: string, costMs: number) => ({
    name,
    run() {
      slowness *= 1.001;
      nowMs += costMs * slowness;
    },
  });
  const effort = { turns: 20, turnMs: 0 };
  const outcome = await sideBySide(contender('fast', 2), contender('slow', 6), effort, clock);
  assert.ok(Math.abs(outcome.referenceOverSubject - 3) < 0.01, String(outcome.referenceOverSubject));
});

test('the median of an even number of values is between the middle two', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([3, 1, 2]), 2);
});
