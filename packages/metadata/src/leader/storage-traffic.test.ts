import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentReport } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { StorageTrafficSums } from './storage-traffic.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function reportOf(bytes: number, buckets: AgentReport['buckets'] = []): AgentReport {
  const files = { count: 1, bytes };
  return {
    startedMs: 1,
    number: 1,
    sinceNumber: 0,
    spanMs: 1,
    nowMs: 1,
    files,
    mergedBytes: 2 * bytes,
    buckets,
  };
}

test('sums are those of the last time, and say how long that is', () => {
  const clock = new HandClock();
  const traffic = new StorageTrafficSums(clock);
  assert.deepEqual(traffic.read(hourMs), { spanMs: 0, ingestedBytes: 0, mergedBytes: 0, buckets: [] });
  traffic.add(reportOf(100));
  clock.advance(30 * minuteMs);
  traffic.add(reportOf(10));
  const first = traffic.read(hourMs);
  assert.deepEqual([first.spanMs, first.ingestedBytes, first.mergedBytes], [30 * minuteMs, 110, 220]);
  clock.advance(50 * minuteMs);
  const later = traffic.read(hourMs);
  assert.deepEqual([later.ingestedBytes, later.mergedBytes], [10, 20]);
  assert.ok(later.spanMs >= hourMs && later.spanMs <= hourMs + 10 * minuteMs);
  assert.equal(traffic.read(24 * hourMs).ingestedBytes, 110);
  clock.advance(26 * hourMs);
  traffic.add(reportOf(1));
  const { ingestedBytes, spanMs } = traffic.read(24 * hourMs);
  assert.deepEqual([ingestedBytes, Math.floor(spanMs / hourMs)], [1, 24]);
});

test('requests are added by bucket and kind, and a report that is sent again is taken back', () => {
  const traffic = new StorageTrafficSums(new HandClock());
  const bucket = { operationCount: 1, failureCount: 0 };
  const sent = reportOf(5, [
    { ...bucket, name: 's3://a', requests: [1, 2, 3, 4] },
    { ...bucket, name: 's3://b' },
  ]);
  traffic.add(sent);
  traffic.add(sent);
  traffic.add(sent, -1);
  const { buckets, ingestedBytes } = traffic.read(hourMs);
  assert.equal(ingestedBytes, 5);
  assert.deepEqual(buckets, [
    { name: 's3://a', requests: { put: 1, get: 2, list: 3, delete: 4 } },
    { name: 's3://b', requests: { put: 0, get: 0, list: 0, delete: 0 } },
  ]);
});

test('agents cannot name more buckets than a report has', () => {
  const traffic = new StorageTrafficSums(new HandClock());
  for (let n = 0; n < 3 * coreLimits.reportedBucketsMax; n++)
    traffic.add(reportOf(1, [{ name: `s3://${n}`, operationCount: 1, failureCount: 0, requests: [1] }]));
  assert.equal(traffic.read(hourMs).buckets.length, coreLimits.reportedBucketsMax);
});
