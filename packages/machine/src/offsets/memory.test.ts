import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { memoryBytes } from '../../testing/memory-bytes.ts';
import { Offsets } from './offsets.ts';

const shapes: [what: string, groups: number, offsetsPerGroup: number][] = [
  ['few groups of many partitions', 10, 30_000],
  ['many groups of some partitions', 10_000, 30],
];

for (const [what, groups, offsetsPerGroup] of shapes) {
  test(`a million committed offsets take less than 150 MiB: ${what}`, () => {
    const before = memoryBytes();
    const offsets = new Offsets();
    for (let number = 0; number < groups; number++) {
      for (let partition = 0; partition < offsetsPerGroup; partition++) {
        const row = {
          topicNumber: 20_000 + number,
          partition,
          offset: partition,
          leaderEpoch: 0,
          metadata: '',
        };
        offsets.commit(`group-${number}`, row, 1_700_000_000_000, undefined);
      }
    }
    const bytes = (memoryBytes() - before) / offsets.count;
    assert.ok(bytes * 1_000_000 < 150 * MiB, `${bytes.toFixed(1)} bytes per offset`);
  });
}
