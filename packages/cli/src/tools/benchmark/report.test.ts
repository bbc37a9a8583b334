import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, MiB, systemClock } from '@weir/core';
import { Meter } from './meter.ts';
import { tallyJson, tallyLine, tallyTable } from './report.ts';

function meterAt(now: { ms: number }, metrics = new Metrics()) {
  return new Meter({ ...systemClock, monotonicMs: () => now.ms }, metrics, ['produce', 'other']);
}

test('a tally has the same values as text and as JSON', () => {
  const now = { ms: 0 };
  const meter = meterAt(now);
  meter.count(1000, 2 * MiB);
  meter.observe('produce', 4, 990);
  meter.observe('produce', 250, 10);
  meter.fail('broker away');
  now.ms = 500;
  const tally = meter.turn();
  assert.deepEqual(tallyJson('interval', tally, meter.lastFailure), {
    kind: 'interval',
    elapsedMs: 500,
    records: 1000,
    bytes: 2 * MiB,
    recordsPerSecond: 2000,
    bytesPerSecond: 4 * MiB,
    failures: 1,
    lastFailure: 'broker away',
    latenciesMs: { produce: { p50: 4.03, p90: 4.03, p99: 4.03, p999: 250, max: 250 }, other: null },
  });
  assert.equal(
    tallyLine(3, tally),
    '3 s  2000 records/s  4.0 MiB/s  produce p50 4.0 ms p99 4.0 ms  other -  1 failed',
  );
  assert.equal(
    tallyTable(tally),
    [
      'RECORDS  SECONDS  RECORD RATE     BYTE RATE  FAILED REQUESTS',
      '1000     0.5      2000 records/s  4.0 MiB/s  1',
      '',
      'LATENCY  P50     P90     P99     P999    MAX',
      'produce  4.0 ms  4.0 ms  4.0 ms  250 ms  250 ms',
      'other    -       -       -       -       -',
      '',
    ].join('\n'),
  );
});

test('an interval starts where the last one ended, and the total continues', () => {
  const now = { ms: 0 };
  const metrics = new Metrics();
  const meter = meterAt(now, metrics);
  meter.count(5, 50);
  now.ms = 1000;
  assert.deepEqual([meter.turn().records, meter.turn().records], [5, 0]);
  meter.count(7, 70);
  now.ms = 1500;
  const [interval, total] = [meter.turn(), meter.total()];
  assert.deepEqual([interval.records, interval.elapsedMs], [7, 500]);
  assert.deepEqual([total.records, total.bytes, total.elapsedMs], [12, 120, 1500]);
  assert.match(metrics.render(), /^service_benchmark_records 12$/m);
});
