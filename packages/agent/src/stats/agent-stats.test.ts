import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOfReport } from '@weir/cluster';
import { coreLimits, type MetricRow, Metrics } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { AgentStats } from './agent-stats.ts';

const nothingExpires = { certificates: () => [], tokens: () => [] };

function stage() {
  const clock = new HandClock();
  const metrics = new Metrics();
  return { clock, metrics, stats: new AgentStats({ clock, metrics }) };
}

test('an idle agent reports only times and report numbers', () => {
  const { clock, stats } = stage();
  const startedMs = clock.nowMs();
  clock.advance(20_000);
  const report = stats.report(nothingExpires);
  assert.deepEqual(report, {
    startedMs,
    number: 1,
    sinceNumber: 0,
    spanMs: 20_000,
    nowMs: startedMs + 20_000,
  });
});

test('stats that were not received are reported again together with newer ones', () => {
  const { clock, stats } = stage();
  const report = () => {
    const { number, sinceNumber, spanMs, files, clients } = stats.report(nothingExpires);
    return [number, sinceNumber, spanMs, files?.count, clients?.[0]?.requestCount];
  };
  const work = () => {
    stats.fileStored(100);
    stats.produceRequested('shop', 1_000);
    clock.advance(20_000);
  };
  work();
  assert.deepEqual(report(), [1, 0, 20_000, 1, 1]);
  work();
  assert.deepEqual(report(), [2, 0, 40_000, 2, 2]);
  stats.fileStored(100);
  stats.reportReceived();
  clock.advance(20_000);
  assert.deepEqual(report(), [3, 2, 20_000, 1, undefined], 'counts after the report are in the next one');
});

test('invalid records are reported by topic and reason, the most frequent first, and few of them', () => {
  const { stats } = stage();
  stats.recordsInvalid('orders', 'unknown_schema', 3);
  stats.recordsInvalid('orders', 'payload', 1);
  const first = stats.report(nothingExpires);
  assert.equal(problemOfReport(first, JSON.stringify(first)), undefined);
  stats.recordsInvalid('orders', 'payload', 4);
  assert.deepEqual(stats.report(nothingExpires).invalidRecords, [
    { topic: 'orders', reason: 'payload', count: 5 },
    { topic: 'orders', reason: 'unknown_schema', count: 3 },
  ]);
  stats.reportReceived();
  for (let topic = 0; topic < 1_000; topic++) stats.recordsInvalid(`t${topic}`, 'payload', 1);
  const full = stats.report(nothingExpires);
  assert.equal(full.invalidRecords?.length, coreLimits.reportedInvalidRecordsMax);
  assert.equal(problemOfReport(full, JSON.stringify(full)), undefined);
});

test('merges are reported with their bytes and requests, and counted by bucket and kind', () => {
  const { metrics, stats } = stage();
  stats.requestEnded('s3://records', { operation: 'put', outcome: 'success', latencyMs: 9 });
  stats.mergeRequested('s3://records', 'putPart', 4);
  stats.mergeRequested('s3://records', 'getRange', 6);
  stats.merged(1_000);
  const first = stats.report(nothingExpires);
  assert.equal(problemOfReport(first, JSON.stringify(first)), undefined);
  stats.merged(500);
  const { mergedBytes, buckets } = stats.report(nothingExpires);
  assert.equal(mergedBytes, 1_500);
  assert.deepEqual(buckets![0]!.requests, [5, 6, 0, 0]);
  assert.equal(buckets![0]!.operationCount, 1);
  stats.reportReceived();
  assert.equal(stats.report(nothingExpires).mergedBytes, undefined);
  assert.match(
    metrics.render(),
    /^service_blob_store_requests_total\{bucket="s3:\/\/records",kind="put"\} 5$/m,
  );
});

test('every file is reported exactly once, whichever reports are lost', () => {
  const steps = fc.array(fc.record({ files: fc.nat(3), isReceived: fc.boolean() }), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (rounds) => {
      const { stats } = stage();
      let [written, received] = [0, 0];
      for (const { files, isReceived } of [...rounds, { files: 0, isReceived: true }]) {
        for (let file = 0; file < files; file++) stats.fileStored(1);
        written += files;
        const report = stats.report(nothingExpires);
        if (!isReceived) continue;
        received += report.files?.count ?? 0;
        stats.reportReceived();
      }
      assert.equal(received, written);
    }),
  );
});

test('only metrics with many series are reported, the largest first', () => {
  const { stats, metrics } = stage();
  const row = (name: string): MetricRow<'n'> => ({ name, kind: 'gauge', help: '', labels: ['n'] });
  for (const [name, count] of [
    ['few', 10],
    ['many', 1_000],
    ['most', 2_000],
  ] as const) {
    for (let n = 0; n < count; n++) metrics.series(row(name), { n: String(n) });
  }
  assert.deepEqual(stats.report(nothingExpires).metrics, [
    { name: 'most', seriesCount: 2_000 },
    { name: 'many', seriesCount: 1_000 },
  ]);
});

test('the leader accepts reports with any names of clients and users', () => {
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('\ud800'.repeat(200), '\0'.repeat(200), '"'.repeat(200), '😀'.repeat(200)),
  );
  const names = fc.array(anyName, { maxLength: 60 });
  fc.assert(
    fc.property(names, (all) => {
      const { clock, stats } = stage();
      for (const name of all) {
        stats.produceRequested(name, 10);
        stats.loggedIn({ user: name, hasOldPassword: name.length % 2 === 0 });
        stats.requestEnded(name, { operation: 'put', outcome: 'success', latencyMs: name.length });
      }
      clock.advance(1_000);
      const report = stats.report(nothingExpires);
      const json = JSON.stringify(report);
      assert.equal(problemOfReport(JSON.parse(json), json), undefined);
    }),
    { numRuns: 50 },
  );
});

test('a report at all limits fits', () => {
  const { clock, metrics, stats } = stage();
  const long = (n: number) => `${n}${'"'.repeat(2 * coreLimits.reportedNameCharsMax)}`;
  for (let n = 0; n < 1_000; n++) {
    stats.produceRequested(long(n), n);
    stats.loggedIn({ user: long(n), hasOldPassword: true });
    for (let ms = 1; ms < 200_000; ms *= 1.09) {
      for (const operation of ['put', 'getRange'] as const)
        stats.requestEnded(long(n % 8), { operation, outcome: 'success', latencyMs: ms });
    }
  }
  for (const operation of ['put', 'getRange', 'list', 'delete'] as const) {
    for (let n = 0; n < 8; n++) stats.requestEnded(long(n), { operation, outcome: 'denied', latencyMs: 1 });
  }
  for (let name = 0; name < 30; name++) {
    const row: MetricRow<'n'> = { name: `m${name}`, kind: 'gauge', help: '', labels: ['n'] };
    for (let n = 0; n < 1_000; n++) metrics.series(row, { n: String(n) });
  }
  clock.advance(1_000);
  const things = Array.from({ length: 20 }, (_, n) => ({
    name: long(n).slice(0, 128),
    expiresMs: 1e13,
    issuedMs: 1e13,
  }));
  const report = stats.report({ certificates: () => things, tokens: () => things });
  assert.equal(problemOfReport(report, JSON.stringify(report)), undefined);
});

test('the report of a busy agent is about half a kilobyte', () => {
  const { clock, stats } = stage();
  for (let file = 0; file < 80; file++) {
    stats.fileStored(4_000_000);
    stats.requestEnded('s3://records', {
      operation: 'put',
      outcome: 'success',
      latencyMs: 80 + (file % 40) * 5,
    });
    for (let get = 0; get < 5; get++)
      stats.requestEnded('s3://records', {
        operation: 'getRange',
        outcome: 'success',
        latencyMs: 15 + file,
      });
  }
  for (const user of ['shop', 'bank', 'billing']) stats.loggedIn({ user, hasOldPassword: false });
  clock.advance(20_000);
  const certificates = [{ name: 'kafka.example.com', issuedMs: 1.7e12, expiresMs: 1.71e12 }];
  const tokens = [{ name: 'agent token', issuedMs: 1.7e12, expiresMs: 1.7e12 + 3.6e6 }];
  const { length } = JSON.stringify(stats.report({ certificates: () => certificates, tokens: () => tokens }));
  assert.ok(length < 1_000, `${length} characters`);
});
