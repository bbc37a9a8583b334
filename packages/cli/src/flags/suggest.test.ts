import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, nearestName } from './suggest.ts';

test('the distance counts added, dropped, changed and swapped letters', () => {
  const cases: readonly [from: string, to: string, distance: number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['topic', 'topic', 0],
    ['topc', 'topic', 1],
    ['topik', 'topic', 1],
    ['tpoic', 'topic', 1],
    ['kitten', 'sitting', 3],
  ];
  for (const [from, to, distance] of cases) assert.equal(editDistance(from, to), distance, `${from} ${to}`);
});

test('a suggestion is near, or there is none', () => {
  const known = ['-batchTimeout', '-batchMaxSizeBytes', '-tls', '-topic'];
  const cases: readonly [unknown: string, suggestion: string | undefined][] = [
    ['-batchTimeot', '-batchTimeout'],
    ['-BATCHTIMEOUT', '-batchTimeout'],
    ['-batchMaxSize', undefined],
    ['-batchMaxSizByte', '-batchMaxSizeBytes'],
    ['-tsl', '-tls'],
    ['-x', undefined],
    ['-entirelyElse', undefined],
  ];
  for (const [unknown, suggestion] of cases) assert.equal(nearestName(unknown, known), suggestion, unknown);
});
