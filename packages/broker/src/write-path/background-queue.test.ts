import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { settle } from '@weir/core/testing';
import { batchOf, DataPath, type DataPathOptions, produced } from '../../testing/data-path.ts';
import { brokerLimits } from '../limits.ts';
import { backgroundIntervalMs, backgroundWaitMs } from './background-queue.ts';
import type { AppendOutcome, ProducedBatch } from './produced-batch.ts';
import { writeRows } from './write-metrics.ts';

/** Files wait for their window, as with a store that charges per request. */
const windowMs = 250;

async function start(options: DataPathOptions = {}) {
  const path = new DataPath({ flush: { windowMs }, ...options });
  const { topicId } = path.cluster.addTopic('t', 2);
  await path.ready();
  const outcomes: AppendOutcome[] = [];
  const of = (batches: readonly ProducedBatch[], isBackground: boolean) =>
    void (
      isBackground
        ? path.writePath.appendInBackground(batches)
        : path.writePath.append(batches, { deadlineMs: path.clock.monotonicMs() + 30_000 })
    ).then((outcome) => outcomes.push(outcome));
  return {
    path,
    outcomes,
    appendInBackground: (values: readonly string[] = ['event'], uncompressedBytes = 100) =>
      of([{ ...produced(topicId, 1, batchOf(values)), uncompressedBytes }], true),
    produce: (values: readonly string[] = ['record']) => of([produced(topicId, 0, batchOf(values))], false),
    async pass(ms: number) {
      path.clock.advance(ms);
      await settle();
    },
  };
}

test('background appends join the next file of clients and do not change when it closes', async () => {
  const { path, outcomes, appendInBackground, produce, pass } = await start();
  appendInBackground();
  await pass(100);
  produce();
  await pass(windowMs - 1);
  assert.equal(path.store.puts, 0);
  appendInBackground();
  await pass(1);
  assert.equal(path.store.puts, 1);
  assert.deepEqual(
    outcomes.map(({ results }) => results.map(({ error, baseOffset }) => [error, baseOffset])),
    [[['NONE', 0]], [['NONE', 0]], [['NONE', 1]]],
  );
  await pass(60_000);
  assert.equal(path.store.puts, 1);
});

test('without client files, background appends wait briefly and then get at most one file every few seconds', async () => {
  const { path, outcomes, appendInBackground, pass } = await start();
  appendInBackground();
  await pass(backgroundWaitMs - 1);
  assert.equal(path.store.puts, 0);
  await pass(1);
  await pass(windowMs);
  assert.deepEqual([path.store.puts, outcomes.length], [1, 1]);
  appendInBackground();
  appendInBackground();
  await pass(backgroundIntervalMs - windowMs - 1);
  assert.equal(path.store.puts, 1);
  await pass(1);
  await pass(windowMs);
  assert.deepEqual([path.store.puts, outcomes.length], [2, 3]);
});

test('enough background bytes get a file at once', async () => {
  const { path, appendInBackground, pass } = await start();
  appendInBackground(['event'], 4 * MiB);
  await pass(0);
  await pass(windowMs);
  assert.equal(path.store.puts, 1);
});

test('background appends have their own memory limit, and an append beyond it is certainly not written', async () => {
  const { path, outcomes, appendInBackground, produce, pass } = await start({ bufferedBytesMax: 1_000 });
  appendInBackground(['x'.repeat(brokerLimits.backgroundBytesMax - 200)]);
  produce(['y'.repeat(700)]);
  await pass(windowMs);
  assert.deepEqual([path.store.puts, outcomes.length], [1, 2]);
  appendInBackground(['x'.repeat(brokerLimits.backgroundBytesMax - 200)]);
  appendInBackground(['x'.repeat(200)]);
  await settle();
  assert.deepEqual(outcomes[2]!.results[0]!.error, 'KAFKA_STORAGE_ERROR');
});

test('background appends fail when the store fails', async () => {
  const { path, outcomes, appendInBackground, pass } = await start();
  path.store.beforePut = () => {
    throw new Error('the store is on fire');
  };
  appendInBackground();
  await pass(backgroundWaitMs);
  await pass(windowMs);
  assert.equal(outcomes[0]!.results[0]!.error, 'KAFKA_STORAGE_ERROR');
});

test('draining also writes background appends, with or without client appends', async () => {
  for (const isAlone of [true, false]) {
    const { path, outcomes, appendInBackground, produce } = await start();
    appendInBackground();
    appendInBackground();
    if (!isAlone) produce();
    await path.writePath.drain();
    assert.deepEqual([path.store.puts, outcomes.length], [1, isAlone ? 2 : 3]);
  }
});

test('an abandoned write path takes no background appends, which would keep the process alive', async () => {
  const { path, outcomes, appendInBackground, pass } = await start();
  appendInBackground();
  path.writePath.abandon();
  appendInBackground(['late'], 8 * MiB);
  await pass(60_000);
  assert.equal(path.store.puts, 0);
  assert.deepEqual(
    outcomes.map(({ results }) => results.map(({ error }) => error)),
    [['KAFKA_STORAGE_ERROR']],
  );
});

test('background appends do not count as produced', async () => {
  const { path, appendInBackground, produce, pass } = await start();
  appendInBackground(['a', 'b', 'c']);
  produce(['d']);
  await pass(windowMs);
  const metricValue = (name: string) =>
    path.metrics.read().find(({ row }) => row.name === name)!.series[0]!.value;
  assert.equal(metricValue(writeRows.producedRecords.name), 1);
  assert.equal(metricValue(writeRows.records.name), 4);
});
