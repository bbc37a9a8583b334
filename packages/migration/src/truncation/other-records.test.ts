import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EndBatch, findOtherRecords } from './other-records.ts';

const last: EndBatch = {
  baseOffset: 90,
  nextOffset: 100,
  recordCount: 10,
  crc: 7,
  producerId: 5,
  producerEpoch: 0,
  baseSequence: 20,
  hasDeleteHorizon: false,
};

// biome-ignore format: a table
const cases: readonly [what: string, source: Partial<EndBatch>, copy: Partial<EndBatch>, plain: 'same' | 'other', compacted: 'same' | 'other'][] = [
  ['the same batch',                           {},                                         {},                 'same',  'same'],
  ['other records in the same place',          { crc: 8 },                                 {},                 'other', 'same'],
  ['those of another producer',                { crc: 8, producerId: 6 },                  {},                 'other', 'other'],
  ['a later batch of the same producer',       { crc: 8, baseSequence: 21 },               {},                 'other', 'other'],
  ['without a producer id',                    { crc: 8, producerId: -1 },                 {},                 'other', 'same'],
  ['a batch that begins elsewhere',            { baseOffset: 95, crc: 8 },                 {},                 'other', 'same'],
  ['a batch across the end of the copy',       { nextOffset: 101, crc: 8 },                {},                 'other', 'same'],
  ['records that compaction removed',          { recordCount: 3, crc: 8 },                 {},                 'other', 'same'],
  ['a tombstone that got its time',            { crc: 8, hasDeleteHorizon: true },         {},                 'same',  'same'],
  ['a source that deleted the batch',          { baseOffset: 100, nextOffset: 110, crc: 8 }, {},               'same',  'same'],
  ['a copy that ends with removed records',    { crc: 8 },                                 { recordCount: 0 }, 'same',  'same'],
];

for (const [what, source, copy, plain, compacted] of cases)
  test(`${what}: ${plain}, of a compacted topic ${compacted}`, () => {
    const verdicts = [false, true].map((isCompacted) =>
      findOtherRecords({ ...last, ...source }, { ...last, ...copy }, { isCompacted }),
    );
    assert.deepEqual(
      verdicts.map((line) => (line === undefined ? 'same' : 'other')),
      [plain, compacted],
    );
  });
