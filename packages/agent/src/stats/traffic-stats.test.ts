import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageRows, writeRows } from '@weir/broker';
import { Metrics } from '@weir/core';
import { TrafficStats } from './traffic-stats.ts';

test('traffic is what clients sent and read since the last report that was received', () => {
  const metrics = new Metrics();
  const records = metrics.series(writeRows.producedRecords, {});
  records.add(5);
  const stats = new TrafficStats(metrics);
  assert.equal(stats.report(), undefined, 'nothing since the start');
  records.add(10);
  metrics.series(writeRows.producedBytes, {}).add(1_000);
  stats.written(0.4);
  const first = { inRecords: 10, inBytes: 1_000, outRecords: 0, outBytes: 0, produceLatencies: [0, 1] };
  assert.deepEqual(stats.report(), first);
  metrics.series(pageRows.sentRecords, {}).add(3);
  stats.written(0.4);
  const second = { ...first, outRecords: 3, produceLatencies: [0, 2] };
  assert.deepEqual(stats.report(), second, 'the first was not received, so the next has it too');
  records.add(1);
  stats.reportReceived();
  assert.deepEqual(stats.report(), { ...first, inRecords: 1, inBytes: 0, produceLatencies: [] });
});
