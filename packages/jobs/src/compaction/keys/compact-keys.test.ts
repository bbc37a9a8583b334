import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataPath } from '@weir/broker/testing';
import { markerBytes } from '@weir/cluster';
import { type Random, seededRandom } from '@weir/core';
import { buildLogFile, logFileKey, newFileId } from '@weir/storage';
import {
  batchCrcOf,
  batchRecords,
  buildRecordBatch,
  type CompressionCodec,
  codecIds,
  headerAt,
  headerBytes,
  RecordBatchView,
  type RecordToWrite,
  readControlRecord,
} from '@weir/wire';
import fc from 'fast-check';
import { type PointerRow, pointersOf } from '../../../testing/pointer-rows.ts';
import { CheckedRange } from '../checked-range.ts';
import { compactKeys, type KeyLimits, type KeyResult } from './compact-keys.ts';

const never = new AbortController().signal;
const topicId = Buffer.alloc(16, 1).toString('base64url');
const codecs = Object.keys(codecIds) as CompressionCodec[];

interface ModelRecord {
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestamp: bigint;
}

/** A batch by what is known about it, not by its bytes. */
interface ModelBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** The transaction that it belongs to or ends. */
  readonly transaction?: ModelTransaction | undefined;
  readonly isMarker: boolean;
  readonly records: readonly ModelRecord[];
  readonly horizonMs?: number | undefined;
}

interface ModelTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  outcome?: 'commit' | 'abort';
  lastOffset?: number;
}

interface Round {
  readonly nowMs: number;
  readonly dirtyOffset: number;
  readonly cleanOffset: number;
  /** The end of the stored range that contains the last compacted offset. */
  readonly endOffset: number;
  readonly deleteRetentionMs: number;
}

/** One round of compaction, from the rules of Apache Kafka's cleaner and complete knowledge. */
function compactedModel(batches: readonly ModelBatch[], round: Round): ModelBatch[] {
  const { nowMs, dirtyOffset, cleanOffset, endOffset, deleteRetentionMs } = round;
  const isAborted = ({ isMarker, transaction }: ModelBatch) => !isMarker && transaction?.outcome === 'abort';
  const latest = new Map<string, number>();
  for (const batch of batches) {
    if (isAborted(batch)) continue;
    for (const { key, offset } of batch.records)
      if (!batch.isMarker && key !== null && offset >= dirtyOffset && offset < cleanOffset)
        latest.set(key, offset);
  }
  const isGone = (horizonMs: number | undefined) => horizonMs !== undefined && horizonMs <= nowMs;
  return batches.flatMap((batch): ModelBatch[] => {
    if (batch.baseOffset >= endOffset) return [batch];
    let { records, horizonMs } = batch;
    if (batch.isMarker) {
      const hasBatches = batches.some((other) => !other.isMarker && other.transaction === batch.transaction);
      if (!hasBatches && records.length > 0) {
        if (isGone(horizonMs)) records = [];
        else horizonMs ??= nowMs + deleteRetentionMs;
      }
    } else if (isAborted(batch)) records = [];
    else {
      records = records.filter(({ offset, key, value }) => {
        if (offset >= cleanOffset) return true;
        if (key === null || offset < (latest.get(key) ?? -1)) return false;
        return value !== null || !isGone(horizonMs);
      });
      if (records.some(({ value }) => value === null)) horizonMs ??= nowMs + deleteRetentionMs;
    }
    if (records.length > 0) return [{ ...batch, records, horizonMs }];
    return batch.nextOffset === endOffset ? [{ ...batch, records, horizonMs: undefined }] : [];
  });
}

/** A partition over a bucket, with the pointers and the aborted transactions that a leader would have. */
class Log {
  readonly #random: Random;
  readonly #path = new DataPath({ pages: { cacheBytesMax: 0, ownFiles: 'none' } });
  rows: PointerRow[] = [];
  batches: ModelBatch[] = [];
  aborted: { producerId: number; firstOffset: number; lastOffset: number }[] = [];
  /** All records that were ever written, by offset. */
  readonly written = new Map<number, ModelRecord & { readonly transaction: ModelTransaction | undefined }>();
  readonly originals = new Map<number, Buffer>();
  readonly #open = new Map<number, ModelTransaction>();
  cleanOffset = 0;
  startOffset = 0;
  nowMs = 1_700_000_000_000;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  get store() {
    return this.#path.store;
  }

  get clusterId(): string {
    return this.#path.cluster.clusterId;
  }

  get nextOffset(): number {
    return this.rows.at(-1)?.nextOffset ?? this.startOffset;
  }

  get stableOffset(): number {
    return Math.min(this.nextOffset, ...[...this.#open.values()].map(({ firstOffset }) => firstOffset));
  }

  /** Writes a file with some batches, one pointer for all of them. */
  append(keys: number, isTransactional = this.#random.below(3) === 0): void {
    const random = this.#random;
    this.nowMs += random.below(1000);
    const fileId = newFileId(this.nowMs, random);
    const producerId = isTransactional ? 100 + random.below(3) : random.below(2) === 0 ? -1 : 7;
    const bytes: Buffer[] = [];
    const baseOffset = this.nextOffset;
    let next = baseOffset;
    for (let left = 1 + random.below(3); left > 0; left--) {
      const transaction = isTransactional
        ? (this.#open.get(producerId) ?? { producerId, firstOffset: next })
        : undefined;
      if (transaction !== undefined) this.#open.set(producerId, transaction);
      const isAppendTime = random.below(4) === 0;
      const records = Array.from(
        { length: 1 + random.below(4) },
        (_, index): ModelRecord => ({
          offset: next + index,
          key: random.below(20) === 0 ? null : `${'key'.repeat(random.below(2) * 7)} ${random.below(keys)}`,
          value: random.below(4) === 0 ? null : `value ${next + index}`,
          timestamp: BigInt(isAppendTime ? this.nowMs : this.nowMs - random.below(5000)),
        }),
      );
      const batch = buildRecordBatch(records.map(toWrite), {
        codec: codecs[random.below(codecs.length)]!,
        isTransactional,
        producerId: BigInt(producerId),
        producerEpoch: producerId < 0 ? -1 : 3,
        baseSequence: producerId < 0 ? -1 : next,
        ...(isAppendTime ? { timestampType: 'logAppendTime', maxTimestamp: BigInt(this.nowMs) } : {}),
      });
      bytes.push(batch);
      this.originals.set(next, batch);
      this.batches.push({
        baseOffset: next,
        nextOffset: next + records.length,
        transaction,
        isMarker: false,
        records,
      });
      for (const record of records) this.written.set(record.offset, { ...record, transaction });
      next += records.length;
    }
    const batches = bytes.map((content) => ({ topicId, partition: 0, bytes: content }));
    const { slices, placed } = buildLogFile({ clusterId: this.clusterId, fileId, batches });
    this.store.objects.set(logFileKey(this.clusterId, fileId), Buffer.concat(slices));
    const byteLength = bytes.reduce((sum, { length }) => sum + length, 0);
    const byteStart = placed.byteStart[0]!;
    this.rows.push({ fileId, byteStart, byteLength, baseOffset, nextOffset: next });
  }

  /** Writes a file with one batch. */
  write(
    records: readonly (readonly [key: string | null, value: string | null])[],
    { producerId = -1 }: { readonly producerId?: number } = {},
  ): void {
    const isTransactional = producerId >= 0;
    const baseOffset = this.nextOffset;
    const open = this.#open.get(producerId) ?? { producerId, firstOffset: baseOffset };
    if (isTransactional) this.#open.set(producerId, open);
    const timestamp = BigInt(this.nowMs);
    const bytes = buildRecordBatch(
      records.map(([key, value]) => toWrite({ offset: 0, key, value, timestamp })),
      { isTransactional, producerId: BigInt(producerId) },
    );
    this.put(bytes, records.length);
  }

  /** Stores any bytes as a batch. */
  put(bytes: Buffer, offsetCount: number): void {
    const fileId = newFileId(this.nowMs, this.#random);
    const batches = [{ topicId, partition: 0, bytes }];
    const { slices, placed } = buildLogFile({ clusterId: this.clusterId, fileId, batches });
    this.store.objects.set(logFileKey(this.clusterId, fileId), Buffer.concat(slices));
    const baseOffset = this.nextOffset;
    const byteStart = placed.byteStart[0]!;
    const nextOffset = baseOffset + offsetCount;
    this.rows.push({ fileId, byteStart, byteLength: bytes.length, baseOffset, nextOffset });
  }

  /** Compacts all that can be, and returns what is left, as lines. */
  async round(deleteRetentionMs = 0): Promise<string[]> {
    const result = await this.compact(this.cleanable(), {}, deleteRetentionMs);
    assert.deepEqual(result.refused, []);
    this.commit(result);
    return this.lines();
  }

  lines(): string[] {
    return this.stored().flatMap(({ batch, baseOffset, nextOffset }) => {
      if (batch.recordCount === 0) return [`${baseOffset}..${nextOffset - 1} empty`];
      if (batch.isControl) return [`${baseOffset} ${isAbort(batch) ? 'abort' : 'commit'}`];
      return [...batchRecords(batch)].map(
        ({ offset, key, value }) => `${Number(offset - batch.baseOffset) + baseOffset} ${key}=${value}`,
      );
    });
  }

  /** A producer with an open transaction, or one without if there is none. */
  openProducer(number: number): number {
    const open = [...this.#open.keys()];
    return open[number % open.length] ?? 100 + number;
  }

  /** Ends a transaction; one without records if none is open. */
  end(producerId: number, outcome: 'commit' | 'abort'): void {
    const offset = this.nextOffset;
    const transaction = this.#open.get(producerId) ?? { producerId, firstOffset: offset };
    const wasOpen = this.#open.delete(producerId);
    transaction.outcome = outcome;
    transaction.lastOffset = offset;
    if (wasOpen && outcome === 'abort')
      this.aborted.push({ producerId, firstOffset: transaction.firstOffset, lastOffset: offset });
    const record = { offset, key: null, value: null, timestamp: BigInt(this.nowMs) };
    this.batches.push({
      baseOffset: offset,
      nextOffset: offset + 1,
      transaction,
      isMarker: true,
      records: [record],
    });
    this.rows.push({
      fileId: '',
      byteStart: 0,
      byteLength: markerBytes,
      baseOffset: offset,
      nextOffset: offset + 1,
      marker: { isCommit: outcome === 'commit', producerId, timestampMs: this.nowMs },
    });
  }

  /** Moves the start of the log, as retention and DeleteRecords do. */
  moveStart(offset: number): void {
    this.startOffset = Math.max(this.startOffset, offset);
    this.rows = this.rows.filter(({ nextOffset }) => nextOffset > this.startOffset);
    const firstOffset = this.rows[0]?.baseOffset ?? this.startOffset;
    this.batches = this.batches.filter(({ nextOffset }) => nextOffset > firstOffset);
    this.aborted = this.aborted.filter(({ lastOffset }) => lastOffset >= this.startOffset);
  }

  /** The rows of a round: those that end at or before the last stable offset. */
  cleanable(rowCount = Number.POSITIVE_INFINITY): PointerRow[] {
    return this.rows.filter(({ nextOffset }) => nextOffset <= this.stableOffset).slice(0, rowCount);
  }

  async compact(
    rows: readonly PointerRow[],
    limits: Partial<KeyLimits>,
    deleteRetentionMs: number,
  ): Promise<KeyResult> {
    const endOffset = rows.at(-1)!.nextOffset;
    const aborted = this.aborted
      .filter(({ firstOffset }) => firstOffset < endOffset)
      .sort((a, b) => a.firstOffset - b.firstOffset);
    return await compactKeys(
      {
        clusterId: this.clusterId,
        level: 1,
        nowMs: this.nowMs,
        runs: [
          {
            topicId,
            partition: 0,
            pointers: pointersOf(rows),
            dirtyOffset: Math.max(this.cleanOffset, this.startOffset),
            deleteRetentionMs,
            aborted: {
              producerId: Float64Array.from(aborted, ({ producerId }) => producerId),
              firstOffset: Float64Array.from(aborted, ({ firstOffset }) => firstOffset),
              lastOffset: Float64Array.from(aborted, ({ lastOffset }) => lastOffset),
            },
          },
        ],
      },
      { store: this.store, random: this.#random, signal: never, limits },
    );
  }

  /** Replaces rows as the leader does. */
  commit({ ranges, compacted }: KeyResult): void {
    for (const { baseOffset, nextOffset, pointers } of ranges) {
      const first = this.rows.findIndex((row) => row.baseOffset === baseOffset);
      const last = this.rows.findIndex((row) => row.nextOffset === nextOffset);
      assert.ok(first >= 0 && last >= first, 'a range is that of stored ranges');
      assert.deepEqual(
        [pointers[0]!.baseOffset, ...pointers.map((pointer) => pointer.nextOffset)],
        [...pointers.map((pointer) => pointer.baseOffset), nextOffset],
        'the new pointers cover it',
      );
      this.rows.splice(first, last - first + 1, ...pointers);
    }
    for (const { cleanOffset, droppedAborts } of compacted) {
      this.cleanOffset = cleanOffset;
      this.aborted = this.aborted.filter(({ lastOffset }) => !droppedAborts.includes(lastOffset));
    }
  }

  /** Everything in the bucket that the rows point to, as a reader finds it. */
  stored(): { readonly batch: RecordBatchView; readonly baseOffset: number; readonly nextOffset: number }[] {
    const pointers = pointersOf(this.rows);
    return this.rows.flatMap((row, index) => {
      const range = new CheckedRange();
      if (row.marker !== undefined) range.takeMarker(pointers, index);
      else {
        const object = this.store.objects.get(logFileKey(this.clusterId, row.fileId))!;
        range.check(pointers, index, object.subarray(row.byteStart, row.byteStart + row.byteLength));
      }
      return Array.from({ length: range.batchCount }, (_, batch) => ({
        batch: new RecordBatchView(range.bytes.subarray(range.starts[batch]!, range.endOf(batch))),
        baseOffset: range.baseOffsets[batch]!,
        nextOffset: range.nextOffsets[batch]!,
      }));
    });
  }

  /** The stored batches in the form of the model. */
  found(): object[] {
    return this.stored().map(({ batch, baseOffset, nextOffset }) => ({
      baseOffset,
      nextOffset,
      isMarker: batch.isControl,
      records: batch.isControl
        ? Array.from({ length: batch.recordCount }, () => readControlRecord(batch))
        : [...batchRecords(batch)].map(({ offset, key, value, timestamp }) => ({
            offset: Number(offset - batch.baseOffset) + baseOffset,
            key: key?.toString() ?? null,
            value: value?.toString() ?? null,
            timestamp,
          })),
      horizonMs: batch.deleteHorizon === undefined ? undefined : Number(batch.deleteHorizon),
    }));
  }

  expected(): object[] {
    return this.batches.map(({ transaction, records, isMarker, baseOffset, nextOffset, horizonMs }) => ({
      baseOffset,
      nextOffset,
      isMarker,
      records: isMarker
        ? records.map(() => ({ kind: 'endTransaction', result: transaction!.outcome, coordinatorEpoch: 0 }))
        : records,
      horizonMs,
    }));
  }

  /** Headers are those of the original batch, and a batch that lost nothing has its bytes. */
  checkHeaders(): void {
    for (const { batch, baseOffset } of this.stored()) {
      const original = this.originals.get(baseOffset);
      if (original === undefined) continue;
      const before = new RecordBatchView(original);
      const fields = (view: RecordBatchView) => [
        view.lastOffsetDelta,
        view.producerId,
        view.producerEpoch,
        view.baseSequence,
        view.isTransactional,
        view.timestampType,
      ];
      assert.deepEqual(fields(batch), fields(before));
      if (batch.recordCount > 0) assert.equal(batch.codec, before.codec);
      if (batch.recordCount === before.recordCount && batch.deleteHorizon === undefined)
        assert.ok(batch.bytes.subarray(16).equals(original.subarray(16)), 'copied byte for byte');
    }
  }

  /** An aborted transaction is known as long as its marker, which ends it for readers. */
  checkAborted(): void {
    const markers = this.stored().filter(
      ({ batch }) => batch.isControl && batch.recordCount > 0 && isAbort(batch),
    );
    const ends = new Set(markers.map(({ baseOffset }) => baseOffset));
    for (const { lastOffset } of this.aborted)
      assert.ok(ends.has(lastOffset), `the marker at ${lastOffset} is there`);
  }

  /** The latest committed record of each key is there, unless it is a tombstone. */
  checkLatest(): void {
    const latest = new Map<string, ModelRecord>();
    for (const record of this.written.values()) {
      const { key, offset, transaction } = record;
      if (key === null || offset < this.startOffset || transaction?.outcome === 'abort') continue;
      latest.set(key, record);
    }
    const found = new Set(
      this.stored().flatMap(({ batch, baseOffset }) =>
        batch.isControl
          ? []
          : [...batchRecords(batch)].map(({ offset }) => Number(offset - batch.baseOffset) + baseOffset),
      ),
    );
    for (const { key, value, offset } of latest.values())
      assert.ok(value === null || found.has(offset), `the value of ${key} at ${offset} is there`);
  }
}

function isAbort(batch: RecordBatchView): boolean {
  const record = readControlRecord(batch);
  return record.kind === 'endTransaction' && record.result === 'abort';
}

function toWrite({ key, value, timestamp }: ModelRecord): RecordToWrite {
  return {
    timestamp,
    key: key === null ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers: [{ key: 'header', value: Buffer.from('of a record') }],
  };
}

type Step =
  | { readonly kind: 'append' }
  | { readonly kind: 'end'; readonly producer: number; readonly isCommit: boolean }
  | { readonly kind: 'moveStart'; readonly share: number }
  | {
      readonly kind: 'compact';
      readonly mapKeys: number;
      readonly share: number;
      readonly pointerBytesMax: number;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'append' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      producer: fc.integer({ min: 0, max: 2 }),
      isCommit: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('moveStart' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('compact' as const),
      mapKeys: fc.integer({ min: 1, max: 12 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      pointerBytesMax: fc.constantFrom(200, 1000, 1 << 20),
    }),
  },
);

test('any log is compacted as the rules say, in any number of rounds with maps of any size', async () => {
  const keys = fc.constantFrom(2, 5, 20);
  const retentionMs = fc.constantFrom(0, 1500, 1e15);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      keys,
      retentionMs,
      fc.array(step, { minLength: 15, maxLength: 60, size: 'max' }),
      async (seed, keyCount, deleteRetentionMs, steps) => {
        const log = new Log(seed);
        for (const action of steps) {
          switch (action.kind) {
            case 'append':
              log.append(keyCount);
              break;
            case 'end':
              log.end(log.openProducer(action.producer), action.isCommit ? 'commit' : 'abort');
              break;
            case 'moveStart':
              log.moveStart(
                Math.floor(log.startOffset + (log.stableOffset - log.startOffset) * action.share),
              );
              break;
            case 'compact': {
              const all = log.cleanable();
              const rows = log.cleanable(Math.ceil(all.length * action.share));
              const dirtyOffset = Math.max(log.cleanOffset, log.startOffset);
              if (rows.length === 0 || rows.at(-1)!.nextOffset <= dirtyOffset) break;
              const mapBytesMax = 24 * Math.ceil((action.mapKeys + 1) / 0.9);
              const limits = { mapBytesMax, pointerBytesMax: action.pointerBytesMax, fileBytesMax: 4000 };
              const result = await log.compact(rows, limits, deleteRetentionMs);
              assert.deepEqual(result.refused, []);
              const { cleanOffset } = result.compacted[0]!;
              const endOffset = rows.find(({ nextOffset }) => nextOffset >= cleanOffset)!.nextOffset;
              assert.ok(cleanOffset > dirtyOffset, 'every round gets on');
              const round = { nowMs: log.nowMs, dirtyOffset, cleanOffset, endOffset, deleteRetentionMs };
              log.batches = compactedModel(log.batches, round);
              log.commit(result);
              break;
            }
          }
          assert.deepEqual(log.found(), log.expected());
        }
        log.checkLatest();
        log.checkHeaders();
      },
    ),
  );
});

test('a tombstone removes older values at once, and goes when its time is over', async () => {
  const log = new Log(1);
  log.write([
    ['a', '1'],
    ['b', '1'],
  ]);
  log.write([['a', null]]);
  log.write([['c', '1']]);
  assert.deepEqual(await log.round(1000), ['1 b=1', '2 a=null', '3 c=1']);
  log.nowMs += 999;
  log.write([['c', '2']]);
  assert.deepEqual(await log.round(1000), ['1 b=1', '2 a=null', '4 c=2']);
  log.nowMs += 1;
  log.write([['d', '1']]);
  assert.deepEqual(await log.round(1000), ['1 b=1', '4 c=2', '5 d=1']);
});

test('records of aborted transactions go at once, their marker two rounds later, and a later one counts', async () => {
  const log = new Log(1);
  const producerId = 5;
  log.write([['a', '1']]);
  log.write(
    [
      ['a', 'aborted'],
      ['x', 'aborted'],
    ],
    { producerId },
  );
  log.end(producerId, 'abort');
  log.write([['b', '1']], { producerId });
  log.end(producerId, 'commit');
  log.write([['c', '1']]);
  assert.deepEqual(await log.round(), ['0 a=1', '3 abort', '4 b=1', '5 commit', '6 c=1']);
  log.write([['c', '2']]);
  // Now the marker has no batches, and gets its time.
  assert.deepEqual(await log.round(), ['0 a=1', '3 abort', '4 b=1', '5 commit', '7 c=2']);
  assert.equal(log.aborted.length, 1);
  log.write([['c', '3']]);
  assert.deepEqual(await log.round(), ['0 a=1', '4 b=1', '5 commit', '8 c=3']);
  assert.deepEqual(log.aborted, [], 'readers would take the next transaction of the producer for aborted');
});

test('an open transaction is not touched', async () => {
  const log = new Log(1);
  log.write([['a', '1']]);
  log.write([['a', '2']]);
  log.write([['a', '3']], { producerId: 5 });
  assert.deepEqual(await log.round(), ['1 a=2', '2 a=3']);
});

test('records without a key go, and the end of the range stays as an empty batch', async () => {
  const log = new Log(1);
  log.write([['a', '1']]);
  log.write([
    [null, 'x'],
    [null, 'y'],
  ]);
  assert.deepEqual(await log.round(), ['0 a=1', '1..2 empty']);
  log.write([['a', '2']]);
  assert.deepEqual(await log.round(), ['3 a=2']);
  log.write([['a', null]]);
  assert.deepEqual(await log.round(), ['4 a=null']);
  log.write([[null, 'z']]);
  assert.deepEqual(await log.round(), ['5..5 empty']);
});

test('a damaged range stays, nothing behind it expires, and the rest is compacted', async () => {
  const log = new Log(1);
  log.write([['b', 'never compacted']]);
  log.write([['t', null]]);
  await log.round(1000);
  log.nowMs += 2000;
  const row = log.rows.length;
  log.write([['a', '1']]);
  log.write([['damaged', '1']]);
  log.write([
    ['a', '2'],
    ['u', null],
  ]);
  const { fileId, byteStart } = log.rows[row + 1]!;
  const object = log.store.objects.get(logFileKey(log.clusterId, fileId))!;
  object[byteStart + 65]! ^= 1;
  const result = await log.compact(log.cleanable(), {}, 1000);
  assert.deepEqual(
    result.refused.map(({ damage }) => [damage.kind, damage.firstOffset]),
    [['corrupt', 3]],
  );
  log.commit(result);
  object[byteStart + 65]! ^= 1;
  assert.deepEqual(log.lines(), ['0 b=never compacted', '2..2 empty', '3 damaged=1', '4 a=2', '5 u=null']);
  log.nowMs += 2000;
  log.write([['c', '1']]);
  object[byteStart + 65]! ^= 1;
  const again = await log.compact(log.cleanable(), {}, 1000);
  log.commit(again);
  object[byteStart + 65]! ^= 1;
  assert.deepEqual(
    log.lines().slice(-3),
    ['4 a=2', '5 u=null', '6 c=1'],
    'what u was may be in the damaged range',
  );
});

test('a partition with a batch whose records cannot be read stays as it is', async () => {
  const log = new Log(1);
  log.write([['a', '1']]);
  const broken = buildRecordBatch([{ timestamp: 0n, key: Buffer.from('a'), value: null }]);
  broken[headerBytes] = 0x7f;
  broken.writeUInt32BE(batchCrcOf([broken]), headerAt.crc);
  log.put(broken, 1);
  const { refused, ranges, files } = await log.compact(log.cleanable(), {}, 0);
  assert.equal(refused.length, 1);
  assert.deepEqual([ranges, files], [[], []]);
  assert.equal(log.store.objects.size, 2, 'nothing that was written is left');
});
