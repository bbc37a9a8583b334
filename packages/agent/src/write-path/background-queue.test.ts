import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { batchOf, DataPath, type DataPathOptions, produced, settled } from '../../testing/data-path.ts';
import { agentLimits } from '../limits.ts';
import { backgroundIntervalMs, backgroundWaitMs } from './background-queue.ts';
import type { AppendOutcome, ProducedBatch } from './produced-batch.ts';
import { writeRows } from './write-metrics.ts';

/** Files wait for their window, as where requests to the store cost something. */
const windowMs = 250;

async function start(options: DataPathOptions = {}) {
  const path = new DataPath({ flush: { windowMs }, ...options });
  const { topicId } = path.cluster.addTopic('t', 2);
  await path.view.ready();
  const told: AppendOutcome[] = [];
  const of = (batches: readonly ProducedBatch[], isBackground: boolean) =>
    void (
      isBackground
        ? path.writePath.appendInBackground(batches)
        : path.writePath.append(batches, { deadlineMs: path.clock.monotonicMs() + 30_000 })
    ).then((outcome) => told.push(outcome));
  return {
    path,
    told,
    aside: (values: readonly string[] = ['event'], uncompressedBytes = 100) =>
      of([{ ...produced(topicId, 1, batchOf(values)), uncompressedBytes }], true),
    produce: (values: readonly string[] = ['record']) => of([produced(topicId, 0, batchOf(values))], false),
    async pass(ms: number) {
      path.clock.advance(ms);
      await settled();
    },
  };
}

test('what rides along takes the next file of others, and makes it come neither sooner nor later', async () => {
  const { path, told, aside, produce, pass } = await start();
  aside();
  await pass(100);
  produce();
  await pass(windowMs - 1);
  assert.equal(path.store.puts, 0);
  aside();
  await pass(1);
  assert.equal(path.store.puts, 1);
  assert.deepEqual(
    told.map(({ results }) => results.map(({ error, baseOffset }) => [error, baseOffset])),
    [[['NONE', 0]], [['NONE', 0]], [['NONE', 1]]],
  );
  await pass(60_000);
  assert.equal(path.store.puts, 1);
});

test('alone it waits a moment, and then for at most one file every few seconds', async () => {
  const { path, told, aside, pass } = await start();
  aside();
  await pass(backgroundWaitMs - 1);
  assert.equal(path.store.puts, 0);
  await pass(1);
  await pass(windowMs);
  assert.deepEqual([path.store.puts, told.length], [1, 1]);
  aside();
  aside();
  await pass(backgroundIntervalMs - windowMs - 1);
  assert.equal(path.store.puts, 1);
  await pass(1);
  await pass(windowMs);
  assert.deepEqual([path.store.puts, told.length], [2, 3]);
});

test('much of it is worth a file at once', async () => {
  const { path, aside, pass } = await start();
  aside(['event'], 4 * MiB);
  await pass(0);
  await pass(windowMs);
  assert.equal(path.store.puts, 1);
});

test('it has room of its own, and what has none is certainly not written', async () => {
  const { path, told, aside, produce, pass } = await start({ bufferedBytesMax: 1_000 });
  aside(['x'.repeat(agentLimits.backgroundBytesMax - 200)]);
  produce(['y'.repeat(700)]);
  await pass(windowMs);
  assert.deepEqual([path.store.puts, told.length], [1, 2]);
  aside(['x'.repeat(agentLimits.backgroundBytesMax - 200)]);
  aside(['x'.repeat(200)]);
  await settled();
  assert.deepEqual(told[2]!.results[0]!.error, 'KAFKA_STORAGE_ERROR');
});

test('a store that fails says so to those who ride along', async () => {
  const { path, told, aside, pass } = await start();
  path.store.beforePut = () => {
    throw new Error('the store is on fire');
  };
  aside();
  await pass(backgroundWaitMs);
  await pass(windowMs);
  assert.equal(told[0]!.results[0]!.error, 'KAFKA_STORAGE_ERROR');
});

test('who drains writes what rides along too, whether others come or not', async () => {
  for (const isAlone of [true, false]) {
    const { path, told, aside, produce } = await start();
    aside();
    aside();
    if (!isAlone) produce();
    await path.writePath.drain();
    assert.deepEqual([path.store.puts, told.length], [1, isAlone ? 2 : 3]);
  }
});

test('what nobody produced is not counted as produced', async () => {
  const { path, aside, produce, pass } = await start();
  aside(['a', 'b', 'c']);
  produce(['d']);
  await pass(windowMs);
  const figure = (name: string) => path.metrics.read().find(({ row }) => row.name === name)!.series[0]!.value;
  assert.equal(figure(writeRows.producedRecords.name), 1);
  assert.equal(figure(writeRows.records.name), 4);
});
