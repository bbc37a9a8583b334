import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AbortedTransactions, markerBytes, type Pointers } from '@weir/cluster';
import fc from 'fast-check';
import { TailIndex } from './tail-index.ts';

/** One append: records of a producer, or the end of its transaction. */
type Append =
  | { readonly kind: 'records'; readonly producerId: number; readonly count: number }
  | { readonly kind: 'end'; readonly producerId: number; readonly isCommit: boolean };

interface Row {
  readonly fileId: string;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly marker: { readonly isCommit: boolean; readonly producerId: number } | undefined;
}

const append: fc.Arbitrary<Append> = fc.oneof(
  fc.record({
    kind: fc.constant('records' as const),
    producerId: fc.nat(3),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('end' as const), producerId: fc.nat(3), isCommit: fc.boolean() }),
);

function pointersOf({ fileId, baseOffset, nextOffset, marker }: Row): Pointers {
  const pointers = {
    fileId: [fileId],
    byteStart: Float64Array.of(0),
    byteLength: Float64Array.of(marker === undefined ? 100 : markerBytes),
    baseOffset: Float64Array.of(baseOffset),
    nextOffset: Float64Array.of(nextOffset),
  };
  if (marker === undefined) return pointers;
  const markers = {
    row: Uint32Array.of(0),
    isCommit: Uint8Array.of(marker.isCommit ? 1 : 0),
    producerId: Float64Array.of(marker.producerId),
    producerEpoch: Int16Array.of(7),
    timestampMs: Float64Array.of(baseOffset * 10),
  };
  return { ...pointers, markers };
}

test('a tail that dropped its oldest pointers still has its markers and aborted transactions', () => {
  fc.assert(
    fc.property(
      fc.array(append, { maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 12 }),
      (appends, recentPointersPerPartitionMax, recentPointersMax) => {
        const index = new TailIndex({ recentPointersPerPartitionMax, recentPointersMax });
        const rows: Row[] = [];
        const open = new Map<number, number>();
        const aborted: { producerId: number; firstOffset: number; lastOffset: number }[] = [];
        for (const [number, one] of appends.entries()) {
          const baseOffset = rows.at(-1)?.nextOffset ?? 0;
          const isEnd = one.kind === 'end';
          const { producerId } = one;
          const row: Row = {
            fileId: isEnd ? '' : `file-${number}`,
            baseOffset,
            nextOffset: baseOffset + (isEnd ? 1 : one.count),
            marker: isEnd ? one : undefined,
          };
          rows.push(row);
          const firstOffset = open.get(producerId);
          let abortedByMarker: AbortedTransactions | undefined;
          if (!isEnd) {
            if (firstOffset === undefined) open.set(producerId, baseOffset);
          } else {
            open.delete(producerId);
            if (!one.isCommit && firstOffset !== undefined) {
              aborted.push({ producerId, firstOffset, lastOffset: baseOffset });
              abortedByMarker = {
                producerId: Float64Array.of(producerId),
                firstOffset: Float64Array.of(firstOffset),
                lastOffset: Float64Array.of(baseOffset),
              };
            }
          }
          index.append('t', 0, pointersOf(row), abortedByMarker);
          // Appends to another topic evict its rows from the index.
          if (number % 3 === 0) index.append('u', 0, pointersOf(row));
        }

        const end = rows.at(-1)?.nextOffset ?? 0;
        const stable = Math.min(end, ...open.values());
        for (let offset = 0; offset < end; offset++) {
          const found = index.find('t', 0, offset, Number.POSITIVE_INFINITY);
          if (found === undefined) continue;
          const expected = rows.filter(({ nextOffset }) => nextOffset > offset);
          assert.deepEqual(
            found.fileId,
            expected.map(({ fileId }) => fileId),
          );
          const markers = expected.flatMap(({ marker, baseOffset }, row) =>
            marker === undefined ? [] : [[row, marker.isCommit ? 1 : 0, marker.producerId, baseOffset * 10]],
          );
          const { markers: foundMarkers } = found;
          assert.deepEqual(
            Array.from(foundMarkers?.row ?? [], (row, at) => [
              row,
              foundMarkers!.isCommit[at],
              foundMarkers!.producerId[at],
              foundMarkers!.timestampMs[at],
            ]),
            markers,
          );
          const overlapping = aborted
            .filter(({ firstOffset, lastOffset }) => lastOffset >= offset && firstOffset < stable)
            .sort((one, other) => one.firstOffset - other.firstOffset);
          const list = index.abortedIn('t', 0, offset, stable);
          assert.deepEqual(
            Array.from(list?.producerId ?? [], (producerId, at) => ({
              producerId,
              firstOffset: list!.firstOffset[at]!,
              lastOffset: list!.lastOffset[at]!,
            })),
            overlapping,
          );
        }
      },
    ),
  );
});

/** What is done with one of three partitions. */
type Step =
  | { readonly kind: 'append'; readonly topic: string; readonly counts: readonly number[] }
  | { readonly kind: 'gap'; readonly topic: string }
  | { readonly kind: 'delete'; readonly topic: string };

const topic = fc.constantFrom('t', 'u', 'v');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      topic,
      counts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gap' as const), topic }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), topic }) },
);

test('the index has the newest pointers of each partition and overall, in order', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 10 }),
      (steps, recentPointersPerPartitionMax, recentPointersMax) => {
        const index = new TailIndex({ recentPointersPerPartitionMax, recentPointersMax });
        const ends = new Map<string, number>();
        /** All pointers in order of arrival; those of a deleted topic or before a gap are not `isKept`. */
        const arrived: { topic: string; baseOffset: number; nextOffset: number; isKept: boolean }[] = [];
        const drop = (name: string) => {
          for (const pointer of arrived) if (pointer.topic === name) pointer.isKept = false;
        };
        for (const one of steps) {
          const end = ends.get(one.topic) ?? 0;
          if (one.kind === 'delete') {
            index.deleteTopic(one.topic);
            drop(one.topic);
          } else if (one.kind === 'gap') {
            ends.set(one.topic, end + 1);
          } else {
            const last = arrived.findLast((pointer) => pointer.topic === one.topic && pointer.isKept);
            if (last !== undefined && last.nextOffset !== end) drop(one.topic);
            let baseOffset = end;
            const rows = one.counts.map((count) => {
              const row = { topic: one.topic, baseOffset, nextOffset: baseOffset + count, isKept: true };
              baseOffset += count;
              return row;
            });
            arrived.push(...rows);
            ends.set(one.topic, baseOffset);
            index.append(one.topic, 0, {
              fileId: rows.map((row) => `${one.topic}-${row.baseOffset}`),
              byteStart: Float64Array.from(rows, (row) => row.baseOffset * 100),
              byteLength: Float64Array.from(rows, (row) => (row.nextOffset - row.baseOffset) * 100),
              baseOffset: Float64Array.from(rows, (row) => row.baseOffset),
              nextOffset: Float64Array.from(rows, (row) => row.nextOffset),
            });
          }
          let size = 0;
          for (const name of ['t', 'u', 'v']) {
            const recent = arrived.slice(-recentPointersMax);
            const kept = recent
              .filter((pointer) => pointer.topic === name && pointer.isKept)
              .slice(-recentPointersPerPartitionMax);
            size += kept.length;
            for (let offset = 0; offset < (ends.get(name) ?? 0); offset++) {
              const expected = kept.filter((pointer) => pointer.nextOffset > offset);
              const isKnown = kept.length > 0 && offset >= kept[0]!.baseOffset && expected.length > 0;
              const found = index.find(name, 0, offset, 1);
              if (!isKnown) {
                assert.ok(found === undefined || found.fileId.length === 0, `${name} ${offset}`);
                continue;
              }
              assert.deepEqual(found?.fileId, [`${name}-${expected[0]!.baseOffset}`]);
              const all = index.find(name, 0, offset, Number.POSITIVE_INFINITY)!;
              assert.deepEqual(
                Array.from(all.nextOffset),
                expected.map((pointer) => pointer.nextOffset),
              );
              assert.equal(all.byteStart[0], expected[0]!.baseOffset * 100);
              assert.equal(all.byteLength[0], (expected[0]!.nextOffset - expected[0]!.baseOffset) * 100);
            }
          }
          assert.equal(index.size, size);
        }
      },
    ),
  );
});

test('pointers below an offset are dropped, and the limits still hold', () => {
  const place = ['topic', 0] as const;
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant('append' as const), fc.nat(40)), { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (steps, recentPointersMax) => {
        const index = new TailIndex({ recentPointersPerPartitionMax: 8, recentPointersMax });
        let next = 0;
        let dropped = 0;
        for (const step of steps) {
          if (step === 'append') {
            const row = { fileId: `f${next}`, baseOffset: next, nextOffset: next + 2, marker: undefined };
            index.append(...place, pointersOf(row));
            next += 2;
          } else {
            index.dropBelow(...place, step);
            dropped = Math.max(dropped, Math.min(step + (step % 2), next));
          }
          assert.ok(index.size <= Math.min(8, recentPointersMax, (next - dropped) / 2));
          assert.ok(step !== 'append' || index.size > 0);
          for (let offset = 0; offset < next; offset++) {
            const found = index.find(...place, offset, 1);
            if (found !== undefined) assert.equal(found.fileId[0], `f${offset - (offset % 2)}`);
            if (offset < dropped) assert.equal(found, undefined);
          }
        }
      },
    ),
  );
});

test('an offset is found at any distance from the end of a long tail', () => {
  const index = new TailIndex({ recentPointersPerPartitionMax: 1000, recentPointersMax: 1500 });
  const appendTo = (name: string, offset: number) =>
    index.append(
      name,
      0,
      pointersOf({
        fileId: `${name}-${offset}`,
        baseOffset: offset,
        nextOffset: offset + 1,
        marker: undefined,
      }),
    );
  const check = (first: number, end: number) => {
    assert.equal(index.find('t', 0, first - 1, 1), undefined);
    for (let offset = first; offset < end; offset++)
      assert.deepEqual(index.find('t', 0, offset, 1)?.fileId, [`t-${offset}`]);
  };
  for (let offset = 0; offset < 4000; offset++) {
    appendTo('t', offset);
    if (offset % 4 === 0) appendTo('u', offset);
  }
  check(3000, 4000);
  // A gap: what follows has landmarks of its own.
  for (let offset = 5000; offset < 5300; offset++) appendTo('t', offset);
  check(5000, 5300);
  // Others take its slots.
  for (let offset = 6000; offset < 7290; offset++) appendTo('u', offset);
  check(5090, 5300);
});
