import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchToCopy } from './copied-part.ts';
import { producerRows } from './producer-rows.ts';

const kinds: Readonly<Record<string, BatchToCopy['kind']>> = {
  t: 'transactional',
  c: 'commitMarker',
  a: 'abortMarker',
  o: 'otherControl',
};

/** `7t`: a transactional batch of producer 7; `7`: another one; `7c`, `7a`: its markers; `-`: of no producer. */
function batchesOf(line: string): BatchToCopy[] {
  return line.split(' ').map((word, index) => {
    const producerId = word === '-' ? -1 : Number.parseInt(word, 10);
    const kind = kinds[word.slice(-1)] ?? 'plain';
    const producerEpoch = producerId < 0 ? -1 : word.includes('e') ? 1 : 0;
    const baseSequence = kind === 'plain' || kind === 'transactional' ? index : -1;
    const offsets = { baseOffset: index, nextOffset: index + 1, recordCount: 1, maxTimestampMs: 0 };
    return { ...offsets, kind, producerId, producerEpoch, baseSequence: producerId < 0 ? -1 : baseSequence };
  });
}

test('metadata gets the batches that rebuild producers and transactions', () => {
  const table: [what: string, batches: string, rows: number[]][] = [
    ['no producers', '- - -', []],
    ['few batches', '7 7 7', [0, 1, 2]],
    ['the last five', '7 7 7 7 7 7 7', [2, 3, 4, 5, 6]],
    ['of each producer', '7 8 7 7 7 7 7 8', [1, 2, 3, 4, 5, 6, 7]],
    ['the first of a transaction', '7t 7t 7t 7t 7t 7t 7t 7c', [0, 2, 3, 4, 5, 6, 7]],
    ['every transaction', '7t 7c 7t 7a', [0, 1, 2, 3]],
    ['a new epoch', '7 7 7e 7e', [2, 3]],
    ['other control batches', '7o 7', [1]],
  ];
  for (const [what, line, rows] of table) {
    const found = producerRows(batchesOf(line)).map(({ baseOffset }) => baseOffset);
    assert.deepEqual(found, rows, what);
  }
});
