import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { closeTimeMs, type OpenFile, RecentRate } from './close-time.ts';
import type { Stall } from './data-file.ts';

const flush = {
  windowMs: 250,
  uncompressedBytesMax: 64 * MiB,
  compressedBytesMax: MiB,
  gatheredBytesMax: 16_000_000,
};

test('when a file is due', () => {
  const [small, worthwhile] = [100_000, 1.2 * MiB];
  // The file was opened at 1000, the one before was closed at 950, the last request came at 1010.
  const table: readonly [string, Stall, bytes: number, requests: number, mbps: number, dueMs: number][] = [
    ['a small file waits for its window', 'no', small, 3, 10, 1_250],
    ['if its clients wait for it, it keeps its distance', 'here', small, 3, 10, 1_050],
    ['if they wait for earlier files, it waits for those', 'elsewhere', small, 3, 10, 1_250],
    ['one that is worthwhile gathers for a while', 'no', worthwhile, 80, 10, 1_100],
    ['for longer with more load', 'no', worthwhile, 80, 40, 1_176],
    ['which is further from the one before', 'here', worthwhile, 80, 40, 1_126],
    ['but not longer than the window', 'no', worthwhile, 80, 100, 1_250],
    ['large requests wait for the next', 'no', 2 * MiB, 2, 40, 1_030],
    ['for earlier files', 'elsewhere', 2 * MiB, 2, 40, 1_100],
    ['or for nothing', 'here', 5 * MiB, 5, 40, 1_000],
    ['also below the size of a file', 'here', 0.6 * MiB, 1, 40, 1_000],
    ['a file that has its size takes what is coming', 'no', 17_000_000, 80, 50, 1_020],
    ['and still keeps its distance', 'here', 17_000_000, 80, 50, 1_170],
  ];
  for (const [what, stall, bytes, requests, mbps, dueMs] of table) {
    const file = {
      openedMs: 1_000,
      quietSinceMs: 1_010,
      bytes,
      requests,
      stall,
      bytesPerMs: mbps * 1000,
      uploadMs: 60,
    };
    assert.equal(Math.round(closeTimeMs(file, 950, flush)), dueMs, what);
  }
});

test('with a short window a file waits for little longer than an upload takes', () => {
  const file: OpenFile = {
    openedMs: 1_000,
    quietSinceMs: 1_000,
    bytes: 1,
    requests: 1,
    stall: 'no',
    bytesPerMs: 0,
    uploadMs: 0,
  };
  const dueMs = (uploadMs: number) => closeTimeMs({ ...file, uploadMs }, 0, { ...flush, windowMs: 25 });
  assert.deepEqual([0, 2, 8, 60].map(dueMs), [1_025, 1_010, 1_012, 1_025]);
});

test('the rate is that of about a second', () => {
  const rate = new RecentRate();
  for (let nowMs = 0; nowMs < 10_000; nowMs += 10) rate.add(100_000, nowMs);
  assert.ok(Math.abs(rate.bytesPerMs(10_000, 0) - 10_000) < 200);
  assert.ok(rate.bytesPerMs(15_000, 0) < 100);
  assert.equal(Math.round(rate.bytesPerMs(100_000, 5_000_000)), 5_000);
});
