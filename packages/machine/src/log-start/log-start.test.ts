import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeleteRecordsResult } from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { fileIdOf } from '../../testing/file-commit.ts';
import { UnreadableBytes } from '../bytes/byte-reader.ts';
import { entryKind } from '../entry-kind.ts';
import { ClusterMachine } from '../machine.ts';
import { defaultLimits } from '../machine-limits.ts';

function deleteRecords(
  cluster: Cluster,
  topicId: string,
  offset: number,
  partition = 0,
): DeleteRecordsResult {
  return cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId, partition, offset }] })[0]!;
}

/** Base offsets of the remaining pointers, and start and end of the log. */
function state(cluster: Cluster, topicId = 'a', partition = 0) {
  const query = (offset: number) => ({ topicId, partition, offset, bytesMax: 1e9 });
  const { logStartOffset } = cluster.machine.findBatches([query(1e15)])[0]!;
  const { nextOffset, pointers } = cluster.machine.findBatches([query(logStartOffset)])[0]!;
  return { logStartOffset, nextOffset, bases: [...pointers.baseOffset] };
}

/** Three files of ten records each. */
function filled(configs: Record<string, string> = {}): Cluster {
  const cluster = new Cluster();
  cluster.create('a', 2, configs);
  for (let file = 0; file < 3; file++) cluster.commit({ topicId: 'a', records: 10, timestampMs: file });
  return cluster;
}

const compactOnly = { 'cleanup.policy': 'compact' };
const both = { 'cleanup.policy': 'compact,delete' };
const answers: [what: string, configs: Record<string, string>, offset: number, answer: string | number][] = [
  ['the end', {}, -1, 30],
  ['an offset', {}, 10, 10],
  ['an offset within a batch', {}, 15, 15],
  ['the start', {}, 0, 0],
  ['the high watermark', {}, 30, 30],
  ['an offset beyond it', {}, 31, 'OFFSET_OUT_OF_RANGE'],
  ['a negative offset', {}, -2, 'OFFSET_OUT_OF_RANGE'],
  ['half an offset', {}, 1.5, 'OFFSET_OUT_OF_RANGE'],
  ['no number', {}, Number.NaN, 'OFFSET_OUT_OF_RANGE'],
  ['a topic that is only compacted', compactOnly, 10, 'POLICY_VIOLATION'],
  ['a topic with cleanup.policy=compact,delete', both, 10, 10],
  ['a topic without any cleanup.policy', { 'cleanup.policy': '' }, 10, 10],
];

for (const [what, configs, offset, answer] of answers) {
  test(`deleting records up to ${what}`, () => {
    const cluster = filled(configs);
    const before = cluster.saved();
    const { error, logStartOffset } = deleteRecords(cluster, 'a', offset);
    assert.equal(error === 'NONE' ? logStartOffset : error, answer);
    const moved = typeof answer === 'number' && answer > 0;
    assert.equal(cluster.saved().equals(before), !moved);
    assert.equal(state(cluster).logStartOffset, moved ? answer : 0);
  });
}

test('unknown topics and partitions get errors, and a log start never moves back', () => {
  const cluster = filled();
  const ask = (topicId: string, partition: number, offset: number) => ({ topicId, partition, offset });
  const results = cluster.execute({
    kind: 'deleteRecords',
    partitions: [ask('z', 0, 0), ask('a', 2, 0), ask('a', 0, 20), ask('a', 0, 10), ask('a', 1, -1)],
  });
  assert.deepEqual(
    results.map(({ error, logStartOffset }) => [error, logStartOffset]),
    [
      ['UNKNOWN_TOPIC_ID', -1],
      ['UNKNOWN_TOPIC_OR_PARTITION', -1],
      ['NONE', 20],
      ['NONE', 20],
      ['NONE', 0],
    ],
  );
  assert.deepEqual(deleteRecords(cluster, 'a', 5), { error: 'NONE', logStartOffset: 20 });
});

test('pointers wholly below the start are removed with their files; one that spans it stays', () => {
  const cluster = filled();
  assert.deepEqual(state(cluster), { logStartOffset: 0, nextOffset: 30, bases: [0, 10, 20] });
  assert.deepEqual([cluster.machine.stats().files, cluster.machine.stats().logBytes], [3, 300]);
  deleteRecords(cluster, 'a', 15);
  assert.deepEqual(state(cluster), { logStartOffset: 15, nextOffset: 30, bases: [10, 20] });
  assert.deepEqual([cluster.machine.stats().files, cluster.machine.stats().logBytes], [2, 200]);
  const { byteCount, partitionCount } = cluster.machine.logSizes(['a', 'nothing']);
  assert.deepEqual(
    [[...byteCount], [...partitionCount]],
    [
      [200, 0],
      [2, 0],
    ],
  );
  deleteRecords(cluster, 'a', -1);
  assert.deepEqual(state(cluster), { logStartOffset: 30, nextOffset: 30, bases: [] });
  assert.deepEqual(
    [cluster.machine.stats().files, cluster.machine.stats().logBytes, cluster.machine.stats().pointerBytes],
    [0, 0, 0],
  );
  assert.deepEqual(cluster.commit({ topicId: 'a', records: 2 }), [30]);
  assert.deepEqual(state(cluster), { logStartOffset: 30, nextOffset: 32, bases: [30] });
});

test('followers receive the new start, and reading below it is out of range', () => {
  const cluster = filled();
  deleteRecords(cluster, 'a', 15);
  assert.deepEqual(cluster.replay().changes.at(-1), {
    kind: 'logStarts',
    topicId: 'a',
    partition: Uint32Array.of(0),
    logStartOffset: Float64Array.of(15),
  });
  const [answer] = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 14, bytesMax: 1 }]);
  assert.deepEqual([answer!.error, answer!.logStartOffset], ['OFFSET_OUT_OF_RANGE', 15]);
  assert.equal(cluster.machine.snapshotForFollowers().logStartOffset[0], 15);
});

test('a producer without remaining batches is forgotten, and may continue with any sequence', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const write = (producerId: number, sequence: number) =>
    cluster.commit({ topicId: 'a', records: 5, producerId, sequence })[0];
  assert.deepEqual([write(1, 0), write(2, 0), write(1, 5)], [0, 5, 10]);
  deleteRecords(cluster, 'a', 10);
  assert.equal(cluster.machine.stats().producers, 1);
  assert.equal(write(1, 7), 'error 3', 'the producer is known and its sequence has a gap');
  assert.equal(write(2, 77), 15);
  deleteRecords(cluster, 'a', 14);
  assert.equal(cluster.machine.stats().producers, 2, 'a part of its last batch remains');
});

test('the start survives a snapshot, and the restored machine continues equally', () => {
  const cluster = filled();
  deleteRecords(cluster, 'a', 12);
  const restored = ClusterMachine.restore(cluster.saved());
  assert.ok(Buffer.concat(restored.save()).equals(cluster.saved()));
  assert.deepEqual(restored.snapshotForFollowers(), cluster.machine.snapshotForFollowers());
  const later = cluster.journal.length;
  cluster.commit({ topicId: 'a', records: 3 });
  deleteRecords(cluster, 'a', 21);
  for (const entry of cluster.journal.slice(later)) restored.apply(entry);
  assert.ok(Buffer.concat(restored.save()).equals(cluster.saved()));
});

test('an entry that does not fit the state is refused', () => {
  const cluster = filled();
  deleteRecords(cluster, 'a', 20);
  const entry = cluster.journal.at(-1)!;
  assert.equal(entry[0], entryKind.logStartsMoved);
  const shorter = new Cluster();
  shorter.create('a');
  shorter.commit({ topicId: 'a', records: 10 });
  assert.throws(() => shorter.machine.apply(entry), UnreadableBytes);
  assert.throws(() => ClusterMachine.empty('vci_test').apply(entry), UnreadableBytes);
});

// --- retention ---

/** Runs retention until all partitions are examined. Returns the number of calls. */
function retain(cluster: Cluster): number {
  let steps = 0;
  let from = { topicNumber: 0, partition: 0 };
  for (;;) {
    steps++;
    const { next } = cluster.execute({ kind: 'applyRetention', from });
    if (next === null) return steps;
    from = next;
  }
}

/** Times and sizes of batches, each in its own file, and how many remain at time 1,000,000. */
const retentions: [
  what: string,
  configs: Record<string, string>,
  batches: [timestampMs: number, bytes: number][],
  left: number,
][] = [
  [
    'no batch has expired',
    { 'retention.ms': '1000' },
    [
      [999_000, 10],
      [999_500, 10],
    ],
    2,
  ],
  [
    'the first batch is a millisecond too old',
    { 'retention.ms': '1000' },
    [
      [998_999, 10],
      [999_500, 10],
    ],
    1,
  ],
  [
    'all batches have expired',
    { 'retention.ms': '1000' },
    [
      [5, 10],
      [6, 10],
      [7, 10],
    ],
    0,
  ],
  [
    'an old batch after a new one stays',
    { 'retention.ms': '1000' },
    [
      [999_999, 10],
      [5, 10],
    ],
    2,
  ],
  [
    'a timestamp in the future',
    { 'retention.ms': '1000' },
    [
      [9_999_999, 10],
      [5, 10],
    ],
    2,
  ],
  [
    'a batch without a timestamp has that of the next one',
    { 'retention.ms': '1000' },
    [
      [-1, 1],
      [5, 1],
      [-1, 1],
    ],
    1,
  ],
  [
    'batches without any timestamp do not expire',
    { 'retention.ms': '1000' },
    [
      [-1, 1],
      [-1, 1],
    ],
    2,
  ],
  ['retention.ms=-1', { 'retention.ms': '-1' }, [[5, 10]], 1],
  [
    'retention.ms=0',
    { 'retention.ms': '0' },
    [
      [999_999, 10],
      [1_000_000, 10],
    ],
    1,
  ],
  ['the default retention', {}, [[0, 10]], 1],
  [
    'size at retention.bytes',
    { 'retention.bytes': '30' },
    [
      [999_999, 10],
      [999_999, 20],
    ],
    2,
  ],
  [
    'size above retention.bytes by the first batch',
    { 'retention.bytes': '29' },
    [
      [999_999, 10],
      [999_999, 29],
    ],
    1,
  ],
  [
    'size below retention.bytes without the first batch',
    { 'retention.bytes': '30' },
    [
      [999_999, 10],
      [999_999, 29],
    ],
    2,
  ],
  [
    'retention.bytes=0',
    { 'retention.bytes': '0' },
    [
      [999_999, 10],
      [999_999, 20],
    ],
    0,
  ],
  [
    'by size, without timestamps',
    { 'retention.bytes': '10', 'retention.ms': '-1' },
    [
      [-1, 10],
      [-1, 10],
    ],
    1,
  ],
  [
    'by size, then by time',
    { 'retention.bytes': '20', 'retention.ms': '10' },
    [
      [999_999, 10],
      [5, 10],
      [999_999, 10],
    ],
    1,
  ],
  ['cleanup.policy=compact', { 'cleanup.policy': 'compact', 'retention.ms': '10' }, [[5, 10]], 1],
  ['an empty cleanup.policy', { 'cleanup.policy': '', 'retention.ms': '10' }, [[5, 10]], 1],
  [
    'cleanup.policy=compact,delete',
    { 'cleanup.policy': 'compact,delete', 'retention.ms': '10' },
    [[5, 10]],
    0,
  ],
];

for (const [what, configs, batches, left] of retentions) {
  test(`retention: ${what}`, () => {
    const cluster = new Cluster();
    cluster.create('a', 1, configs);
    for (const [timestampMs, bytes] of batches) cluster.commit({ topicId: 'a', timestampMs, bytes });
    const before = cluster.journal.length;
    retain(cluster);
    assert.deepEqual(state(cluster), {
      logStartOffset: batches.length - left,
      nextOffset: batches.length,
      bases: Array.from({ length: left }, (_, index) => batches.length - left + index),
    });
    assert.equal(cluster.journal.length - before, left === batches.length ? 0 : 1);
    retain(cluster);
    assert.equal(state(cluster).bases.length, left, 'a repeated call has no effect');
  });
}

test('the retention of the cluster applies to topics without their own', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.create('kept', 1, { 'retention.ms': '-1' });
  cluster.commit({ topicId: 'a', timestampMs: 5 }, { topicId: 'kept', timestampMs: 5 });
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'log.retention.ms': '1000' } });
  retain(cluster);
  assert.deepEqual([state(cluster).logStartOffset, state(cluster, 'kept').logStartOffset], [1, 0]);
});

test('retention removes records before an open transaction, not those of it', () => {
  const cluster = new Cluster();
  cluster.create('a', 1, { 'retention.ms': '1000' });
  cluster.commit({ topicId: 'a', timestampMs: 5 });
  const request = { transactionalId: 'tx', timeoutMs: 60_000, producerId: -1, producerEpoch: -1 };
  const { producerId } = cluster.execute({ kind: 'initTransactionalProducer', request });
  const transactional = {
    topicId: 'a',
    timestampMs: 5,
    producerId,
    transactionalId: 'tx',
    addsPartition: true,
  };
  assert.deepEqual(cluster.commit(transactional), [1]);
  cluster.commit({ topicId: 'a', timestampMs: 5 });
  retain(cluster);
  assert.deepEqual(state(cluster), { logStartOffset: 1, nextOffset: 3, bases: [1, 2] });
  assert.deepEqual(deleteRecords(cluster, 'a', -1), { error: 'NONE', logStartOffset: 3 });
  assert.equal(cluster.machine.stats().producers, 1, 'the producer continues its transaction');
  assert.deepEqual(cluster.commit({ ...transactional, sequence: 1 }), [3]);
  assert.ok(Buffer.concat(ClusterMachine.restore(cluster.saved()).save()).equals(cluster.saved()));
});

test('a call examines a limited number of partitions and pointers, and the next continues from there', () => {
  const limits = { retentionPartitionsPerCallMax: 4, retentionPointersPerCallMax: 3 };
  const cluster = new Cluster(limits);
  for (const name of ['a', 'b', 'c']) cluster.create(name, 3, { 'retention.ms': '1000' });
  cluster.delete('b');
  for (let file = 0; file < 7; file++) cluster.commit({ topicId: 'a', partition: 1, timestampMs: 5 });
  for (let file = 0; file < 2; file++) cluster.commit({ topicId: 'c', partition: 2, timestampMs: 5 });
  assert.ok(retain(cluster) > 3);
  assert.equal(state(cluster, 'a', 1).logStartOffset, 7);
  assert.equal(state(cluster, 'c', 2).logStartOffset, 2);
  const entries = cluster.journal.filter((entry) => entry[0] === entryKind.logStartsMoved);
  assert.ok(entries.length >= 3);
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

// --- random runs ---

type Action =
  | { kind: 'write'; partition: number; count: number; timestampMs: number; gap: number; producerId: number }
  | { kind: 'cut'; partition: number; share: number }
  | { kind: 'retain' }
  | { kind: 'wait'; ms: number }
  | { kind: 'save' }
  | { kind: 'restore' };

const partition = fc.nat(1);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      partition,
      count: fc.integer({ min: 1, max: 40 }),
      timestampMs: fc.integer({ min: 0, max: 60 }),
      gap: fc.constantFrom(0, 5),
      producerId: fc.constantFrom(-1, 1, 2, 3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('cut' as const), partition, share: fc.nat(100) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'retain' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'save' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restore' as const }) },
);

interface PlainPointer {
  readonly fileId: string;
  readonly base: number;
  readonly end: number;
  readonly bytes: number;
  readonly timestampMs: number;
}

interface PlainLog {
  start: number;
  end: number;
  pointers: PlainPointer[];
}

const fewAtATime = { retentionPartitionsPerCallMax: 1, retentionPointersPerCallMax: 7 };

/** Naive model: filters the pointers below the start out of a list. */
function cutPlain(log: PlainLog, start: number): void {
  log.start = Math.max(log.start, start);
  log.pointers = log.pointers.filter(({ end }) => end > log.start);
}

function compare(cluster: Cluster, logs: readonly PlainLog[]): void {
  const { machine } = cluster;
  for (const [partition, log] of logs.entries()) {
    const ask = (offset: number) =>
      machine.findBatches([{ topicId: 'a', partition, offset, bytesMax: 1e9 }])[0]!;
    const { pointers, logStartOffset, nextOffset } = ask(log.start);
    assert.deepEqual([logStartOffset, nextOffset], [log.start, log.end]);
    assert.deepEqual(
      [...pointers.baseOffset],
      log.pointers.map(({ base }) => base),
    );
    assert.deepEqual(
      [...pointers.nextOffset],
      log.pointers.map(({ end }) => end),
    );
    assert.deepEqual(
      [...pointers.fileId],
      log.pointers.map(({ fileId }) => fileId),
    );
    if (log.start > 0) assert.equal(ask(log.start - 1).error, 'OFFSET_OUT_OF_RANGE');
    for (const timestampMs of [-1, 0, 10, 30, 61]) {
      const [answer] = machine.findOffsets([{ topicId: 'a', partition, want: 'first', timestampMs }]);
      const expected = log.pointers.find((pointer) => pointer.timestampMs >= timestampMs);
      assert.deepEqual([...answer!.pointers.baseOffset], expected === undefined ? [] : [expected.base]);
    }
    const [latest] = machine.findOffsets([{ topicId: 'a', partition, want: 'latest', timestampMs: 0 }]);
    const latestMs = Math.max(...log.pointers.map(({ timestampMs }) => timestampMs));
    const expected = log.pointers.find(({ timestampMs }) => timestampMs === latestMs);
    assert.deepEqual([...latest!.pointers.baseOffset], expected === undefined ? [] : [expected.base]);
  }
  const all = logs.flatMap(({ pointers }) => pointers);
  const { files, logBytes, pointers } = machine.stats();
  assert.deepEqual(
    [files, logBytes, pointers],
    [
      new Set(all.map(({ fileId }) => fileId)).size,
      all.reduce((sum, { bytes }) => sum + bytes, 0),
      all.length,
    ],
  );
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()), 'M1');
  assert.ok(Buffer.concat(ClusterMachine.restore(cluster.saved()).save()).equals(cluster.saved()), 'M9');
}

test('logs agree with plain lists in random runs', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40, size: 'max' }), (actions) => {
      const cluster = new Cluster(fewAtATime);
      cluster.nowMs = 20;
      cluster.create('a', 2, { 'retention.ms': '25', 'retention.bytes': '3000' });
      const logs: PlainLog[] = [0, 1].map(() => ({ start: 0, end: 0, pointers: [] }));
      const sequences = new Map<string, number>();
      let fileCount = 0;
      let saving: { slices: Iterable<Buffer>; end(): void; expected: Buffer } | undefined;
      for (const one of actions) {
        switch (one.kind) {
          case 'write': {
            const { partition, count, timestampMs, gap, producerId } = one;
            const log = logs[partition]!;
            const rows = Array.from({ length: count }, () => {
              const key = `${partition} ${producerId}`;
              const sequence = sequences.get(key) ?? 0;
              sequences.set(key, sequence + 1);
              return {
                topicId: 'a',
                partition,
                timestampMs,
                gap,
                ...(producerId < 0 ? {} : { producerId, sequence }),
              };
            });
            // One file per five batches; adjacent batches are one pointer.
            for (let at = 0; at < rows.length; at += 5) {
              const batches = rows.slice(at, at + 5);
              assert.deepEqual(
                cluster.commit(...batches),
                batches.map((_, index) => log.end + index),
              );
              const fileId = fileIdOf(++fileCount);
              const spans = gap === 0 ? [batches.length] : batches.map(() => 1);
              for (const span of spans) {
                log.pointers.push({
                  fileId,
                  base: log.end,
                  end: log.end + span,
                  bytes: 100 * span,
                  timestampMs,
                });
                log.end += span;
              }
            }
            break;
          }
          case 'cut': {
            const log = logs[one.partition]!;
            const offset = Math.floor((log.end * one.share) / 100);
            const { logStartOffset } = deleteRecords(cluster, 'a', offset, one.partition);
            cutPlain(log, offset);
            assert.equal(logStartOffset, log.start);
            break;
          }
          case 'retain':
            retain(cluster);
            for (const log of logs) {
              for (;;) {
                // Cuts by size from the head, then by age up to the first record that is recent enough.
                const bytes = log.pointers.reduce((sum, pointer) => sum + pointer.bytes, 0);
                const [first] = log.pointers;
                const aged = log.pointers.find(({ timestampMs }) => timestampMs >= 0);
                if (first !== undefined && bytes - first.bytes >= 3000) cutPlain(log, first.end);
                else if (aged !== undefined && aged.timestampMs < cluster.nowMs - 25) cutPlain(log, aged.end);
                else break;
              }
            }
            break;
          case 'wait':
            cluster.nowMs += one.ms;
            break;
          case 'save': {
            saving?.end();
            const expected = cluster.saved();
            saving = { ...cluster.machine.beginSave(), expected };
            break;
          }
          case 'restore':
            if (saving !== undefined) {
              assert.ok(
                Buffer.concat([...saving.slices]).equals(saving.expected),
                'the snapshot has the state at its start',
              );
              saving.end();
              saving = undefined;
            }
            cluster.machine = ClusterMachine.restore(cluster.saved(), { ...defaultLimits, ...fewAtATime });
            break;
        }
      }
      saving?.end();
      compare(cluster, logs);
    }),
    { numRuns: 150 },
  );
});
