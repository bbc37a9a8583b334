import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { ratioAtLeast, weirUnder } from './kafka/bars.ts';
import { type BenchResult, isMet } from './kafka/bench-result.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { recordBytes } from './kafka/load.ts';
import { openNodeLoad } from './kafka/node-load.ts';
import { namesOf, readOptions } from './kafka/options.ts';
import { parseStat, statsOf } from './kafka/process-stats.ts';
import { histogramIn, quantile, since } from './kafka/prometheus.ts';
import { updatedResults, verdict } from './kafka/results.ts';
import { benchRows } from './kafka/rows/index.ts';
import { startSlowBucket } from './kafka/slow-bucket.ts';
import { latencySource, parseLatency, printLatency } from './kafka/store-latency.ts';
import { cellsOf, columns, markdownTable } from './kafka/table.ts';
import { measuredResultOf } from './kafka/versus.ts';
import { startPlayground } from './kafka/weir.ts';

const row = 'produce';

test('a command line chooses rows and sizes; an invalid one is refused with the reason', () => {
  // arguments; names of the rows, or the error
  const cases: [args: string, outcome: string | RegExp][] = [
    ['--rows produce-1x1', 'produce-1x1'],
    ['--rows produce-1x1,hot', 'produce-1x1, fetch-hot'],
    ['--rows produce-1x1 --runs 2 --megabytes 10', 'produce-1x1'],
    ['--rows nothing', /^no row has nothing in its name; there are produce-1x1, /],
    ['--rows produce,', /^--rows takes words with a comma between them$/],
    ['--runs 0', /^--runs takes a number from 1 to 99$/],
    ['--runs many', /^--runs takes/],
    ['--megabytes 1e9', /^--megabytes takes a number from 1 to 100000$/],
    ['--fast', /--fast/],
    ['--help', 'help'],
    ['--list', 'list'],
  ];
  for (const [args, outcome] of cases) {
    const options = readOptions(args.split(' '), benchRows);
    const found =
      typeof options === 'string' ? options : 'problem' in options ? options.problem : namesOf(options.rows);
    if (typeof outcome === 'string') assert.equal(found, outcome, args);
    else assert.match(found, outcome, args);
  }
  const quick = readOptions(['--quick'], benchRows);
  const full = readOptions([], benchRows);
  assert.ok(typeof quick === 'object' && 'rows' in quick && typeof full === 'object' && 'rows' in full);
  assert.equal(full.rows.length, benchRows.length);
  assert.ok(quick.rows.length < full.rows.length && quick.sizes.records < full.sizes.records);
});

test('every row has a name of its own', () => {
  assert.equal(new Set(benchRows.map(({ name }) => name)).size, benchRows.length);
});

test('a ratio is that of neighbouring runs, and a bar applies to Weir or to the ratio', () => {
  const spec = { key: 'speed', metric: 'throughput', unit: 'MB/s', bar: ratioAtLeast(1) };
  // The machine runs at half speed in the second turn, for both sides.
  const weir = [{ speed: 100 }, { speed: 50 }, { speed: 110 }];
  const kafka = [{ speed: 50 }, { speed: 25 }, { speed: 100 }];
  const result = measuredResultOf(row, spec, weir, kafka);
  assert.deepEqual([result.weir, result.kafka, result.ratio], [100, 50, 2]);
  assert.equal(isMet(result), true);
  const alone = measuredResultOf(row, spec, weir);
  assert.deepEqual(
    [alone.weir, alone.kafka, alone.ratio, isMet(alone)],
    [100, undefined, undefined, undefined],
  );
  assert.equal(isMet({ row, metric: 'p99', unit: 'ms', weir: 25, bar: weirUnder(25, 'ms') }), false);
  const peaks = measuredResultOf(row, { key: 'peak', metric: 'peak', unit: 'MiB', of: 'largest' }, [
    { peak: 3 },
    { peak: 9 },
    { peak: undefined },
  ]);
  assert.equal(peaks.weir, 9);
});

const results: readonly BenchResult[] = [
  { row, metric: 'throughput', unit: 'MB/s', weir: 123.4, kafka: 61.7, ratio: 2, bar: ratioAtLeast(1) },
  { row, metric: 'p99', unit: 'ms', weir: 30.25, bar: weirUnder(25, 'ms') },
  { row: 'requests', metric: 'GETs per page', unit: '', weir: 1.0033 },
];

test('the table shows both columns, the ratio and the bar', () => {
  assert.deepEqual(results.map(cellsOf), [
    [row, 'throughput', '123 MB/s', '61.7 MB/s', '2.00 x', 'at least 1 x Kafka', 'yes'],
    [row, 'p99', '30.3 ms', '', '', 'under 25 ms', 'NO'],
    ['requests', 'GETs per page', '1.003', '', '', '', ''],
  ]);
  const lines = markdownTable(columns, results.map(cellsOf)).trimEnd().split('\n');
  assert.equal(lines.length, 2 + results.length);
  assert.equal(new Set(lines.map((line) => line.length)).size, 1);
  assert.equal(verdict(results), '1 of 2 bars met');
});

test('results keep the rows that were not measured again, unless the machine is another', () => {
  const first = { date: '2026-11-15', machine: '2 cores', commit: 'abc', runs: 3, isQuick: false };
  const later = { ...first, date: '2026-11-16', commit: 'def' };
  const before = updatedResults('', results, first);
  const again = updatedResults(before, [{ ...results[1]!, weir: 20 }], later);
  const rowsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map((cells) => [cells[1], cells[2], cells[3], cells[7], cells[8], cells[9], cells[10]].join(' '));
  assert.deepEqual(rowsOf(again), [
    'produce p99 20 ms yes 2026-11-16 def 3',
    'requests GETs per page 1.003  2026-11-15 abc 3',
  ]);
  const elsewhere = updatedResults(before, [results[1]!], { ...later, machine: '64 cores', isQuick: true });
  assert.deepEqual(rowsOf(elsewhere), ['produce p99 30.3 ms NO 2026-11-16 def 3, quick']);
});

test('the latency of a store is that of its median and its p99', () => {
  for (const text of ['constant:8', 'log-normal:60:400']) {
    assert.equal(printLatency(parseLatency(text)), text);
  }
  for (const text of ['', 'constant', 'constant:-1', 'log-normal:60', 'log-normal:60:40', 'normal:1:2']) {
    assert.throws(() => parseLatency(text), /is neither/, text);
  }
  const next = latencySource(parseLatency('log-normal:60:400'), seededRandom(7));
  const sorted = Array.from({ length: 100_000 }, next).sort((a, b) => a - b);
  assert.ok(Math.abs(sorted[50_000]! - 60) < 2, String(sorted[50_000]));
  assert.ok(Math.abs(sorted[99_000]! - 400) < 30, String(sorted[99_000]));
});

test('a quantile of a histogram lies between the ends of its bucket', () => {
  const text = (counts: readonly number[]) =>
    ['0.01', '0.025', '+Inf']
      .map((end, index) => `commit_bucket{agent_version="v830",le="${end}"} ${counts[index]}`)
      .join('\n');
  const counted = since(
    histogramIn(text([10, 10, 10]), 'commit'),
    histogramIn(text([60, 110, 110]), 'commit'),
  );
  assert.deepEqual(quantile(counted, 0.5), { guess: 0.01, atLeast: 0, atMost: 0.01 });
  assert.equal(quantile(counted, 0.99)?.atMost, 0.025);
  assert.equal(quantile(since(counted, counted), 0.5), undefined);
  assert.throws(() => histogramIn(text([1, 1, 1]), 'upload'), /there is no histogram upload/);
});

test('the results of a process are read behind its name, whatever the name holds', () => {
  const stat = '42 (a ) b) S 7 42 42 0 -1 4194304 1 2 3 4 150 50 30 20 20 0 11 0 100';
  assert.deepEqual(parseStat(stat), {
    pid: 42,
    parentPid: 7,
    name: 'a ) b',
    userTicks: 150,
    systemTicks: 50,
    childUserTicks: 30,
    childSystemTicks: 20,
  });
  const own = statsOf(process.pid);
  if (existsSync('/proc/self/stat')) assert.ok(own!.peakBytes > 0 && own!.cpuSeconds >= 0);
  else assert.equal(own, undefined);
});

test('nothing outlives a measurement that fails', async () => {
  let folder = '';
  let ended: Promise<unknown[]> | undefined;
  await assert.rejects(
    Lifetime.during(async (lifetime) => {
      folder = lifetime.folder();
      const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
      ended = once(child, 'exit');
      lifetime.owns(child);
      throw new Error('it failed');
    }),
    /it failed/,
  );
  assert.equal(existsSync(folder), false);
  assert.deepEqual(await ended, [null, 'SIGKILL']);
});

test('the bucket answers as S3 does, and counts', () =>
  Lifetime.during(async (lifetime) => {
    const bucket = await startSlowBucket(lifetime, { kind: 'constant', ms: 1 });
    const endpoint = `http://${new URL(bucket.url).searchParams.get('endpoint')}/bench`;
    const request = async (method: string, path: string, init: RequestInit = {}) => {
      const response = await fetch(`${endpoint}${path}`, { ...init, method });
      return `${response.status} ${await response.text()}`;
    };
    const range = (text: string) => ({ headers: { range: `bytes=${text}` } });
    // method, path, other request options, expected answer
    const cases: [method: string, path: string, init: RequestInit, answer: string | RegExp][] = [
      ['PUT', '/a/1', { body: 'hello' }, '200 '],
      ['PUT', '/a/1', { body: 'other', headers: { 'if-none-match': '*' } }, '412 '],
      ['GET', '/a/1', {}, '200 hello'],
      ['GET', '/a/1', range('1-2'), '206 el'],
      ['GET', '/a/1', range('3-99'), '206 lo'],
      ['GET', '/a/1', range('5-9'), '416 '],
      ['GET', '/a/1', { headers: { 'if-none-match': '"0"' } }, '304 '],
      ['GET', '/a/1', { headers: { 'if-none-match': '"7"' } }, '200 hello'],
      ['GET', '/a/2', {}, '404 '],
      ['PUT', '/a/1', { body: 'hallo', headers: { 'if-match': '"0"' } }, '200 '],
      ['PUT', '/a/1', { body: 'other', headers: { 'if-match': '"0"' } }, '412 '],
      ['PUT', '/a/2', { body: 'other', headers: { 'if-match': '"0"' } }, '404 '],
      ['HEAD', '/a/1', {}, '200 '],
      ['HEAD', '/a/2', {}, '404 '],
      ['GET', '/?list-type=2&prefix=a/', {}, /^200 .*<Key>a\/1<\/Key>.*<ETag>"1"<\/ETag><Size>5<\/Size>/],
      ['GET', '/?list-type=2&delimiter=/', {}, /^200 [^C]*<CommonPrefixes><Prefix>a\/<\/Prefix>/],
      ['POST', '/?delete', { body: '<Delete><Object><Key>a/0</Key></Object></Delete>' }, /^200 .*<Key>a\/0</],
      ['GET', '/?list-type=2&prefix=b/', {}, /^200 .*<IsTruncated>false<\/IsTruncated><\/ListBucketResult>$/],
      ['DELETE', '/a/1', {}, '204 '],
      ['GET', '/a/1', {}, '404 '],
      ['PUT', '/b/1', { body: 'hello' }, '200 '],
    ];
    for (const [method, path, init, answer] of cases) {
      const found = await request(method, path, init);
      if (typeof answer === 'string') assert.equal(found, answer, `${method} ${path}`);
      else assert.match(found, answer, `${method} ${path}`);
    }
    await fetch(`${endpoint.replace(/bench$/, 'other')}/c/1`, { method: 'PUT', body: 'of another bucket' });
    const { puts, gets, storedBytes, pages, refused } = await bucket.counts();
    assert.deepEqual([puts, gets, storedBytes, pages, refused], [6, 8, 5, 1, 0]);
  }));

test('where there is no Java, Weir is driven by a client of ours', () =>
  Lifetime.during(async (lifetime) => {
    const { servers, stop, processes } = await startPlayground(lifetime, { profileFolder: undefined });
    const load = openNodeLoad();
    await load.createTopics(servers, ['smoke'], 4);
    const records = 600;
    const settings = { 'batch.size': 16_384 };
    const written = await load.produce(servers, {
      topics: ['smoke'],
      partitions: 4,
      producers: 2,
      records,
      settings,
    });
    assert.ok(written.records >= records && written.bytes === written.records * recordBytes);
    const read = await load.fetch(servers, {
      topic: 'smoke',
      partitions: 4,
      records: written.records,
      repeats: 2,
    });
    assert.equal(read.records, written.records * 2);
    const steady = await load.endToEnd(servers, {
      topic: 'smoke',
      partitions: 4,
      records,
      rate: 5000,
      warmUpRecords: 100,
      settings,
    });
    assert.equal(steady.latency.count, records - 100);
    assert.ok(steady.latency.p50Ms > 0 && steady.latency.p50Ms <= steady.latency.maxMs);
    await stop();
    assert.equal(processes[0]!.isRunning, false);
  }));
