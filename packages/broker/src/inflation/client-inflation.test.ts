import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { brokerLimits } from '../limits.ts';
import { ClientInflation, type ConnectionInflation } from './client-inflation.ts';

function start() {
  const clock = new HandClock();
  const inflation = new ClientInflation();
  return { clock, inflation, connect: () => inflation.of({ closed: new AbortController().signal, clock }) };
}

/** Inflates `count` batches of `compressed` bytes each and reports how many are done. */
function inflateMany(connection: ConnectionInflation, count: number, inflated: number, compressed: number) {
  const done = { count: 0, isAll: false };
  const runs = Array.from({ length: count }, () =>
    connection.run(async () => {
      connection.spend(inflated, compressed);
      done.count++;
    }),
  );
  void Promise.all(runs).then(() => {
    done.isAll = true;
  });
  return done;
}

test('data with a realistic compression ratio never waits, at any volume', async () => {
  const { clock, connect } = start();
  const done = inflateMany(connect(), 10_000, 32 * MiB, 1 * MiB);
  assert.ok(await clock.pass(0, () => done.isAll));
});

test('highly compressed zeros are inflated at the rate limit of the connection, and none are refused', async () => {
  const { clock, connect } = start();
  const batchBytes = 16 * MiB;
  const done = inflateMany(connect(), 200, batchBytes, batchBytes / 1000);
  const costBytes = batchBytes - (brokerLimits.inflatedRequestTimesMax * batchBytes) / 1000;
  for (let second = 0; second <= 40; second++) {
    const budgetBytes =
      brokerLimits.inflatedConnectionBytesMax + second * brokerLimits.inflatedConnectionBytesPerSecondMax;
    await clock.pass(second === 0 ? 0 : 1000);
    assert.ok((done.count - 1) * costBytes <= budgetBytes, `${done.count} after ${second} s`);
    // Not slower than the rate either. One batch may be late, because waits are not split.
    assert.ok(
      done.isAll || (done.count + 1) * costBytes >= 0.95 * budgetBytes,
      `${done.count} at ${second} s`,
    );
  }
  await clock.pass(20_000);
  assert.ok(done.isAll);
});

test('a connection that waits for its budget holds no permit, so other connections proceed', async () => {
  const { clock, connect } = start();
  const greedy = Array.from({ length: 2 * brokerLimits.offThreadInflationsMax }, () =>
    inflateMany(connect(), 100, 256 * MiB, 1000),
  );
  await clock.pass(0);
  assert.ok(greedy.every(({ count }) => count === 1));
  const other = inflateMany(connect(), 5, 1 * MiB, 1000);
  assert.ok(await clock.pass(0, () => other.isAll));
});

test('one batch of a connection is inflated at a time, whether the one before succeeded or failed', async () => {
  const connection = start().connect();
  let running = 0;
  const outcomes = Array.from({ length: 5 }, async (_, index) => {
    try {
      await connection.run(async () => {
        assert.equal(++running, 1);
        await Promise.resolve();
        running--;
        if (index % 2 === 0) throw new Error('bad');
      });
      return 'done';
    } catch (error) {
      return (error as Error).message;
    }
  });
  assert.deepEqual(await Promise.all(outcomes), ['bad', 'done', 'bad', 'done', 'bad']);
});

test('all requests of a connection share its budget, for any API', () => {
  const { clock, inflation } = start();
  const { signal } = new AbortController();
  inflation.of({ closed: signal, clock }).spend(brokerLimits.inflatedConnectionBytesMax + 1, 0);
  assert.ok(inflation.of({ closed: signal, clock }).isSpent);
  assert.ok(!inflation.of({ closed: new AbortController().signal, clock }).isSpent);
});
