import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOfHeap } from './launch.ts';

test('processes share the heap, and other arguments of the runtime stay', () => {
  const cases: [given: string[], count: number, share: string[]][] = [
    [
      ['--initial-old-space-size=64', '--max-old-space-size=6144'],
      2,
      ['--initial-old-space-size=64', '--max-old-space-size=3072'],
    ],
    [['--max-old-space-size=1000'], 3, ['--max-old-space-size=334']],
    [['--max-old-space-size=3072'], 1, ['--max-old-space-size=3072']],
    [[], 4, []],
  ];
  for (const [given, count, share] of cases) assert.deepEqual(shareOfHeap(given, count), share);
});
