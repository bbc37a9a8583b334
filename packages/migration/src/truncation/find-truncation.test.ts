import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CopyFacts, findTruncation, type SourceFacts, type SourceVerdict } from './find-truncation.ts';

const copy: CopyFacts = { topicId: 'id-1', logStart: 100, nextOffset: 200, lastEpoch: 5 };
const source: SourceFacts = { topicId: 'id-1', logStart: 100, endOffset: 300 };
const ends = (epoch: number, endOffset: number) => ({ epoch, endOffset });

// biome-ignore format: a table
const cases: readonly [what: string, source: Partial<SourceFacts>, copy: Partial<CopyFacts>, expected: string][] = [
  ['the copy is behind',                                 {},                                                          {},                  'intact, start 100'],
  ['the copy has all',                                   { endOffset: 200 },                                          {},                  'intact, start 100'],
  ['the source deleted old records',                     { logStart: 150 },                                           {},                  'intact, start 150'],
  ['the source deleted all that was copied',             { logStart: 200 },                                           {},                  'intact, start 200'],
  ['the source deleted records before they were copied', { logStart: 230 },                                           {},                  'gap 200 to 230'],
  ['the source deleted everything',                      { logStart: 300 },                                           {},                  'gap 200 to 300'],
  ['the source lost copied records',                     { endOffset: 190 },                                          {},                  'truncated from 190'],
  ['the source is empty again',                          { logStart: 0, endOffset: 0 },                               {},                  'truncated from 0'],
  ['the topic was created again',                        { topicId: 'id-2' },                                         {},                  'recreated'],
  ['created again, and ahead already',                   { topicId: 'id-2', logStart: 0, endOffset: 900 },            {},                  'recreated'],
  ['a source without ids',                               { topicId: null },                                           {},                  'intact, start 100'],
  ['a copy that began without an id',                    {},                                                          { topicId: null },   'intact, start 100'],
  ['the last epoch goes on',                             { lastEpochEnd: ends(5, 300) },                              {},                  'intact, start 100'],
  ['the last epoch ended where the copy ends',           { lastEpochEnd: ends(5, 200) },                              {},                  'intact, start 100'],
  ['an unclean election cut the last epoch',             { lastEpochEnd: ends(5, 180) },                              {},                  'truncated from 180'],
  ['an unclean election lost the last epoch',            { lastEpochEnd: ends(3, 150) },                              {},                  'truncated from 150'],
  ['the source has forgotten the epoch',                 { lastEpochEnd: ends(-1, -1) },                              {},                  'intact, start 100'],
  ['an epoch that the source deleted by retention',      { lastEpochEnd: ends(5, 200), logStart: 230 },               {},                  'gap 200 to 230'],
  ['an epoch is asked for, and that of the copy unknown', { lastEpochEnd: ends(5, 180) },                             { lastEpoch: undefined }, 'intact, start 100'],
  ['a fetch found that the logs diverge',                { diverging: ends(4, 170) },                                 {},                  'truncated from 170'],
  ['a fetch found it behind the copy',                   { diverging: ends(4, 250) },                                 {},                  'intact, start 100'],
];

for (const [what, changedSource, changedCopy, expected] of cases)
  test(`${what}: ${expected}`, () => {
    assert.equal(
      inWords(findTruncation({ ...source, ...changedSource }, { ...copy, ...changedCopy })),
      expected,
    );
  });

function inWords(verdict: SourceVerdict): string {
  switch (verdict.kind) {
    case 'intact':
      return `intact, start ${verdict.logStart}`;
    case 'gap':
      return `gap ${verdict.fromOffset} to ${verdict.toOffset}`;
    case 'recreated':
      return 'recreated';
    case 'truncated':
      return `truncated from ${verdict.fromOffset}`;
  }
}

test('the line of a stop says what both sides have', () => {
  const verdict = findTruncation({ ...source, endOffset: 190 }, copy) as SourceVerdict & { message: string };
  assert.equal(verdict.message, 'the source ends at offset 190, and the copy at 200');
});

/** A source that only grows and deletes from its front, as retention does. */
test('a source that lost nothing is never said to be truncated', () =>
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.nat(1000), fc.nat(1000), (start, copied, more, deleted) => {
      const nextOffset = start + copied;
      const endOffset = nextOffset + more;
      const logStart = Math.min(start + deleted, endOffset);
      const verdict = findTruncation(
        { topicId: 'a', logStart, endOffset, lastEpochEnd: { epoch: 1, endOffset } },
        { topicId: 'a', logStart: start, nextOffset, lastEpoch: 1 },
      );
      assert.equal(verdict.kind, logStart > nextOffset ? 'gap' : 'intact');
    }),
  ));

test('a source that lost copied records never goes on', () =>
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 1000 }), fc.nat(1000), (start, copied, cut) => {
      const nextOffset = start + copied;
      const endOffset = Math.min(cut, nextOffset - 1);
      const facts = { topicId: null, logStart: Math.min(start, endOffset), endOffset };
      assert.equal(findTruncation(facts, { topicId: null, logStart: start, nextOffset }).kind, 'truncated');
    }),
  ));
