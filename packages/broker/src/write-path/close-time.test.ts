import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import {
  closeTimeMs,
  countLarge,
  FileAllowance,
  hasLargeRequests,
  type OpenFile,
  RecentRate,
} from './close-time.ts';
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
  const table: readonly [
    what: string,
    stall: Stall,
    bytes: number,
    requests: number,
    largeRequests: number,
    clients: number,
    mbps: number,
    dueMs: number,
  ][] = [
    ['a small file waits for its window', 'no', small, 3, 0, 3, 10, 1_250],
    ['if its clients wait for it, it keeps its distance', 'here', small, 3, 0, 3, 10, 1_020],
    ['if they wait for earlier files, it waits for those', 'elsewhere', small, 3, 0, 3, 10, 1_250],
    ['one that is worthwhile gathers for a while', 'no', worthwhile, 80, 0, 16, 10, 1_070],
    ['for longer with more load', 'no', worthwhile, 80, 0, 16, 40, 1_200],
    ['which is further from the one before', 'here', worthwhile, 80, 0, 16, 40, 1_150],
    ['but not longer than the window', 'no', worthwhile, 80, 0, 16, 100, 1_250],
    ['large requests wait for the next', 'no', 2 * MiB, 2, 2, 1, 40, 1_030],
    ['for earlier files', 'elsewhere', 2 * MiB, 2, 2, 1, 40, 1_070],
    ['or for nothing', 'here', 5 * MiB, 5, 5, 1, 40, 1_000],
    ['also below the size of a file', 'here', 0.6 * MiB, 1, 1, 1, 40, 1_000],
    ['those of many clients wait for the others', 'no', 7 * MiB, 8, 8, 8, 40, 1_200],
    ['small requests beside large ones are of clients with a rate', 'here', 8 * MiB, 16, 11, 8, 40, 1_150],
    ['also if there are few of these clients', 'no', 2 * MiB, 4, 2, 2, 40, 1_200],
    ['a file that has its size takes what is coming', 'no', 17_000_000, 80, 0, 16, 50, 1_020],
    ['and still keeps its distance', 'here', 17_000_000, 80, 0, 16, 50, 1_200],
  ];
  for (const [what, stall, bytes, requests, largeRequests, clients, mbps, dueMs] of table) {
    const file = {
      openedMs: 1_000,
      quietSinceMs: 1_010,
      bytes,
      requests,
      largeRequests,
      clients,
      stall,
      bytesPerMs: mbps * 1000,
      uploadMs: 60,
    };
    assert.equal(Math.round(closeTimeMs(file, 950, flush)), dueMs, what);
  }
});

test('requests count as large if they are half of a file, and most of them are', () => {
  const fileOf = (...megabytes: number[]) => {
    const appends = megabytes.map((size) => ({ bytes: size * MiB }));
    return { appends, bytes: appends.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
  const table: readonly [megabytes: readonly number[], count: number, isLarge: boolean][] = [
    [[1, 1, 1, 1, 1], 5, true],
    [[0.5], 1, true],
    [[0.4, 0.4], 0, false],
    [[1, 1, 1, 0.01], 3, true],
    [[1, 0.01, 0.01, 0.01, 0.01], 0, false],
    [[1, 1, 0.1, 0.1], 2, false],
  ];
  for (const [megabytes, count, isLarge] of table) {
    const file = fileOf(...megabytes);
    assert.equal(countLarge(file, flush), count, `${megabytes}`);
    assert.equal(hasLargeRequests(file, flush), isLarge, `${megabytes}`);
  }
  assert.equal(hasLargeRequests(fileOf(1), { ...flush, compressedBytesMax: undefined }), false);
});

test('with a short window a file waits for as long as an upload takes', () => {
  const file: OpenFile = {
    openedMs: 1_000,
    quietSinceMs: 1_000,
    bytes: 1,
    requests: 1,
    largeRequests: 0,
    clients: 1,
    stall: 'no',
    bytesPerMs: 0,
    uploadMs: 0,
  };
  const dueMs = (uploadMs: number) =>
    Math.round(closeTimeMs({ ...file, uploadMs }, 0, { ...flush, windowMs: 25 }));
  assert.deepEqual([0, 2, 8, 12, 60].map(dueMs), [1_025, 1_008, 1_008, 1_012, 1_025]);
});

test('some files follow each other at once, and over time there is one for each window', () => {
  const limits = { ...flush, windowMs: 25, filesAtOnce: 4 };
  const allowance = new FileAllowance(limits);
  /** Closes a file whose only request came at a time. */
  const close = (openedMs: number) => {
    const file: OpenFile = {
      openedMs,
      quietSinceMs: openedMs,
      bytes: 1_000,
      requests: 1,
      largeRequests: 0,
      clients: 1,
      stall: 'no',
      bytesPerMs: 0,
      uploadMs: 60,
    };
    const dueMs = closeTimeMs(file, 0, limits, allowance.allowedMs);
    allowance.closed(dueMs);
    return dueMs;
  };
  const table: readonly [openedMs: number, dueMs: number][] = [
    [1_000, 1_000],
    [1_000, 1_000],
    [1_001, 1_001],
    [1_002, 1_002],
    [1_003, 1_025], // The fifth is the first that waits for a window.
    [1_026, 1_050],
    [1_200, 1_200], // After a pause of some windows.
    [1_200, 1_200],
  ];
  for (const [openedMs, dueMs] of table) assert.equal(close(openedMs), dueMs, `${openedMs}`);

  let closed = 0;
  for (let nowMs = 10_000; nowMs < 20_000; closed++) nowMs = close(nowMs) + 1;
  assert.ok(closed <= 10_000 / 25 + 4, `${closed} files in 10 s`);
});

test('the rate is that of about a second', () => {
  const rate = new RecentRate();
  for (let nowMs = 0; nowMs < 10_000; nowMs += 10) rate.add(100_000, nowMs);
  assert.ok(Math.abs(rate.bytesPerMs(10_000, 0) - 10_000) < 200);
  assert.ok(rate.bytesPerMs(15_000, 0) < 100);
  assert.equal(Math.round(rate.bytesPerMs(100_000, 5_000_000)), 5_000);
});
