import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchesAnswer } from '@weir/cluster';
import { bytesOf, pointersTo, readableLog } from './readable-log.ts';
import { available } from './share-partition.ts';

/** Ranges of 10 records and 100 bytes each from offset 0, with a transaction marker after the second. */
const ranges = [0, 10, 21, 31];
const marker = 20;

const answer: BatchesAnswer = {
  error: 'NONE',
  logStartOffset: 0,
  nextOffset: 41,
  lastStableOffset: 21,
  pointers: {
    fileId: ['a', 'b', '', 'c', 'd'],
    byteStart: new Float64Array(5),
    byteLength: Float64Array.of(100, 100, 78, 100, 100),
    baseOffset: Float64Array.of(0, 10, marker, 21, 31),
    nextOffset: Float64Array.of(10, 20, 21, 31, 41),
    markers: {
      row: Uint32Array.of(2),
      isCommit: Uint8Array.of(1),
      producerId: Float64Array.of(7),
      producerEpoch: Int16Array.of(0),
      timestampMs: Float64Array.of(0),
    },
  },
};

const cases: [what: string, offset: number, bytesMax: number, isReadCommitted: boolean, end: number][] = [
  ['the whole log', 0, 1_000, false, 41],
  ['committed records only', 0, 1_000, true, 21],
  ['at least one record', 0, 1, false, 1],
  ['half a range', 0, 50, false, 5],
  ['a range and a half', 0, 150, false, 15],
  ['from the middle of a range', 5, 50, false, 10],
  ['from the middle of a range into the next', 5, 100, false, 15],
  ['across a transaction marker', 15, 100, false, 26],
  ['a transaction marker has no bytes', 15, 51, false, 22],
];

for (const [what, offset, bytesMax, isReadCommitted, end] of cases) {
  test(`a byte limit ends within a log: ${what}`, () => {
    const { pointers } = answer;
    // As the machine answers: from the range that contains the offset.
    const from = pointers.nextOffset.findIndex((next) => next > offset);
    const found = {
      ...answer,
      pointers: {
        fileId: pointers.fileId.slice(from),
        byteStart: pointers.byteStart.slice(from),
        byteLength: pointers.byteLength.slice(from),
        baseOffset: pointers.baseOffset.slice(from),
        nextOffset: pointers.nextOffset.slice(from),
        markers: { ...pointers.markers!, row: Uint32Array.of(2 - from) },
      },
    };
    assert.equal(readableLog(found, offset, bytesMax, isReadCommitted).endOffset, end);
  });
}

test('a transaction marker is a gap', () => {
  assert.deepEqual(readableLog(answer, 0, 1_000, false).gaps, [{ first: marker, last: marker }]);
});

test('only file ranges with acquired records are returned, and their share of the bytes is counted', () => {
  const spans = [
    available({ first: 3, last: 4 }, 0),
    available({ first: 8, last: 11 }, 0),
    available({ first: 35, last: 35 }, 0),
  ];
  const { pointers, bytes } = pointersTo(answer.pointers, spans);
  assert.deepEqual(pointers.fileId, ['a', 'b', 'd']);
  assert.deepEqual([...pointers.baseOffset], [ranges[0], ranges[1], ranges[3]]);
  assert.equal(bytes, 70);
  assert.equal(bytesOf(readableLog(answer, 0, 150, false), 5), 100);
});
