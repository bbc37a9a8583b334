/** A writer ends at any step, answers are lost, or two write at once: each record is a row once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { pause } from '@weir/core/testing';
import { type CommitFault, faultyCatalog } from '@weir/iceberg/testing';
import { aroundStore, type ObjectStore, StoreError } from '@weir/storage';
import { emptyMemoryStore, faultyStore } from '@weir/storage/testing';
import { definition, IngestedTable } from '../../testing/ingested-table.ts';
import { MemoryTopic } from '../../testing/memory-source.ts';
import { sourceOffsetsOf } from '../append/summary-keys.ts';
import type { DeadLetterMode } from '../table-definition.ts';

const record = (id: number) => JSON.stringify({ id, note: `note ${id}` });
const isRow = (text: string | undefined) => text?.startsWith('{') === true;
const isBad = (text: string | undefined) => text?.startsWith('bad') === true;

function fill(topic: MemoryTopic, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const value = at % 7 === 3 ? `bad ${at}` : at % 11 === 5 ? 'drop' : record(at);
    topic.write(at % topic.partitionCount, value);
  }
}

const writes = new Set(['put', 'putIfAbsent', 'beginUpload', 'putPart', 'finishUpload']);

/** A store whose process ends at a write: nothing works from then on. The write happened, or not. */
function endingStore(inner: ObjectStore, endsAt: number, isDone: boolean) {
  let count = 0;
  let hasEnded = false;
  const store = aroundStore(inner, async ({ operation, key, run, signal }) => {
    const ended = () => new StoreError('unavailable', key, 'the process has ended');
    if (hasEnded) throw ended();
    if (!writes.has(operation) || count++ !== endsAt) return await run(signal);
    hasEnded = true;
    if (isDone) await run(signal);
    throw ended();
  });
  return { store, hasEnded: () => hasEnded };
}

async function assertEachOnce(table: IngestedTable, mode: DeadLetterMode): Promise<void> {
  assert.deepEqual(await table.places(), table.placesOf(isRow));
  if (mode === 'keep') assert.deepEqual(await table.keptPlaces(), table.placesOf(isBad));
  const { snapshots } = await table.metadata();
  const seen = new Map<number, bigint>();
  for (const { summary } of snapshots.toSorted((a, b) => Number(a.sequenceNumber - b.sequenceNumber)))
    for (const [partition, offset] of Object.entries(
      JSON.parse(summary['service.source-offsets'] ?? '{}') as Record<string, string>,
    )) {
      assert.ok(BigInt(offset) >= (seen.get(Number(partition)) ?? 0n), 'offsets never go back');
      seen.set(Number(partition), BigInt(offset));
    }
}

for (const mode of ['skip', 'keep'] as const)
  test(`a writer that ends at any write, ${mode}`, async () => {
    const made = () => definition({ deadLetters: { mode, retentionMs: undefined } });
    for (const isDone of [false, true])
      for (let endsAt = 0; ; endsAt++) {
        const inner = emptyMemoryStore();
        const table = new IngestedTable({ store: inner, topic: new MemoryTopic(2, 5), seed: endsAt });
        fill(table.topic, 0, 8);
        const { store, hasEnded } = endingStore(inner, endsAt, isDone);
        const first = table.start({ definition: made() }, store);
        let hasMore = true;
        await table.until(async () => {
          if (hasMore && (await table.hasAll())) {
            hasMore = false;
            fill(table.topic, 8, 12);
          }
          return hasEnded() || (!hasMore && (await table.hasAll()));
        });
        first.signal.abort();
        await table.settled(first.ended.catch(() => undefined));
        if (hasMore) fill(table.topic, 8, 12);
        const second = table.start({ definition: made() });
        await table.until(() => table.hasAll());
        await second.stop();
        await assertEachOnce(table, mode);
        if (!hasEnded()) break;
      }
  });

for (const mode of ['skip', 'keep'] as const)
  test(`two writers of one table over a bucket that fails, ${mode}`, async () => {
    for (let seed = 1; seed <= (mode === 'skip' ? 6 : 2); seed++) {
      const inner = emptyMemoryStore();
      const table = new IngestedTable({ store: inner, topic: new MemoryTopic(3, 4), seed: seed * 1000 });
      const random = seededRandom(seed);
      const made = () =>
        definition({ commitIntervalMs: 1000 + 500 * seed, deadLetters: { mode, retentionMs: undefined } });
      const faults = { failBefore: 0.03, failAfter: 0.03 };
      const writers = [0, 1].map(() =>
        table.start({ definition: made() }, faultyStore(inner, faults, { clock: table.clock, random })),
      );
      for (let from = 0; from < 60; from += 10) {
        fill(table.topic, from, from + 10);
        for (let turn = 0; turn < 10; turn++) {
          table.clock.advance(random.below(1500));
          await pause(0);
        }
      }
      await table.until(() => table.hasAll());
      for (const { stop } of writers) await stop();
      await assertEachOnce(table, mode);
      const offsets = sourceOffsetsOf(await table.metadata());
      assert.deepEqual([...offsets.values()], [20n, 20n, 20n]);
    }
  });

for (const mode of ['skip', 'keep'] as const)
  test(`writers of one table over a catalog that refuses, fails and loses answers, ${mode}`, async () => {
    const faults: (CommitFault | undefined)[] = [undefined, undefined, 'conflict', 'unknown', 'lost answer'];
    for (let seed = 1; seed <= (mode === 'skip' ? 4 : 2); seed++) {
      const table = new IngestedTable({ topic: new MemoryTopic(3, 4), seed: seed * 1000 });
      const random = seededRandom(seed);
      let commits = seed;
      const fault = () => faults[commits++ % faults.length];
      const made = () => definition({ deadLetters: { mode, retentionMs: undefined } });
      const start = () =>
        table.start({ definition: made(), catalog: faultyCatalog(table.catalogOver(table.store), fault) });
      let writers = [start(), start()];
      for (let from = 0; from < 60; from += 10) {
        fill(table.topic, from, from + 10);
        for (let turn = 0; turn < 10; turn++) {
          table.clock.advance(random.below(1500));
          await pause(0);
        }
        // A job that fails is started again by the leader; here one moves now and then.
        const [first, second] = writers as [(typeof writers)[0], (typeof writers)[0]];
        first.signal.abort();
        await table.settled(first.ended.catch(() => undefined));
        writers = [second, start()];
      }
      await table.until(() => table.hasAll());
      for (const { signal, ended } of writers) {
        signal.abort();
        await table.settled(ended.catch(() => undefined));
      }
      await assertEachOnce(table, mode);
      assert.ok(commits - seed >= faults.length, 'each fault was met');
    }
  });
