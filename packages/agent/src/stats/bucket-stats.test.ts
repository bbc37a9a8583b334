import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLatencies, latencyP99, noLatencies } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { RequestOutcome, StoreOperation } from '@weir/storage';
import { BucketStats } from './bucket-stats.ts';

const bucket = 's3://records';

interface Expected {
  readonly operations: 0 | 1;
  readonly failures: 0 | 1;
  readonly denied?: string;
  readonly latency?: 'put' | 'get';
}

const rows: readonly [operation: StoreOperation, outcome: RequestOutcome, expected: Expected][] = [
  ['put', 'success', { operations: 1, failures: 0, latency: 'put' }],
  ['putIfAbsent', 'success', { operations: 1, failures: 0, latency: 'put' }],
  ['getRange', 'success', { operations: 1, failures: 0, latency: 'get' }],
  ['head', 'success', { operations: 1, failures: 0 }],
  ['list', 'success', { operations: 1, failures: 0 }],
  ['getRange', 'notFound', { operations: 1, failures: 0 }],
  ['getRange', 'aborted', { operations: 0, failures: 0 }],
  ['put', 'timeout', { operations: 1, failures: 1 }],
  ['put', 'throttled', { operations: 1, failures: 1 }],
  ['put', 'unavailable', { operations: 1, failures: 1 }],
  ['put', 'denied', { operations: 1, failures: 1, denied: 'put' }],
  ['putIfAbsent', 'denied', { operations: 1, failures: 1, denied: 'put' }],
  ['putPart', 'denied', { operations: 1, failures: 1, denied: 'put' }],
  ['head', 'denied', { operations: 1, failures: 1, denied: 'get' }],
  ['getRange', 'denied', { operations: 1, failures: 1, denied: 'get' }],
  ['list', 'denied', { operations: 1, failures: 1, denied: 'list' }],
  ['delete', 'denied', { operations: 1, failures: 1, denied: 'delete' }],
  ['deleteMany', 'denied', { operations: 1, failures: 1, denied: 'delete' }],
];

for (const [operation, outcome, expected] of rows) {
  test(`${operation}, ${outcome}`, () => {
    const stats = new BucketStats();
    stats.note(bucket, { operation, outcome, latencyMs: 100 });
    const [reported] = stats.report();
    assert.equal(reported?.operationCount ?? 0, expected.operations);
    assert.equal(reported?.failureCount ?? 0, expected.failures);
    assert.deepEqual(
      reported?.denied,
      expected.denied === undefined ? undefined : [{ operation: expected.denied, count: 1 }],
    );
    assert.equal(reported?.putLatencies !== undefined, expected.latency === 'put');
    assert.equal(reported?.getLatencies !== undefined, expected.latency === 'get');
  });
}

test('stats of one instance are merged into another', () => {
  const [one, two] = [new BucketStats(), new BucketStats()];
  for (const stats of [one, two]) {
    stats.note(bucket, { operation: 'put', outcome: 'success', latencyMs: 100 });
    stats.note(bucket, { operation: 'put', outcome: 'denied', latencyMs: 1 });
    stats.note(bucket, { operation: 'list', outcome: 'bucketMissing', latencyMs: 1 });
  }
  one.absorb(two);
  const [reported] = one.report();
  assert.partialDeepStrictEqual(reported, {
    name: bucket,
    operationCount: 6,
    failureCount: 4,
    missingCount: 2,
    denied: [{ operation: 'put', count: 2 }],
  });
  const counts = noLatencies();
  addLatencies(counts, reported!.putLatencies!);
  assert.ok(Math.abs(latencyP99(counts)! - 100) <= 5);
});

test('every request that was sent counts by the kind that stores bill', () => {
  const [stats, other] = [new BucketStats(), new BucketStats()];
  const sent: readonly [operation: StoreOperation, outcome: RequestOutcome][] = [
    ['put', 'success'],
    ['beginUpload', 'success'],
    ['finishUpload', 'timeout'],
    ['getRange', 'aborted'],
    ['head', 'notFound'],
    ['list', 'denied'],
    ['listUploads', 'denied'],
    ['abortUpload', 'success'],
    ['deleteMany', 'success'],
  ];
  for (const [operation, outcome] of sent) stats.note(bucket, { operation, outcome, latencyMs: 1 });
  other.noteSent(bucket, 'putPart', 7);
  stats.absorb(other);
  const [reported] = stats.report();
  assert.deepEqual(reported!.requests, [10, 2, 2, 2]);
  assert.deepEqual([reported!.operationCount, reported!.failureCount], [8, 2]);
});

test('there are never more buckets than fit into a report', () => {
  const stats = new BucketStats();
  for (let index = 0; index < 3 * coreLimits.reportedBucketsMax; index++)
    stats.note(`s3://b${index}`, { operation: 'put', outcome: 'success', latencyMs: 1 });
  assert.equal(stats.report().length, coreLimits.reportedBucketsMax);
});
