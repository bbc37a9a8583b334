import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TableTask } from '@weir/cluster';
import { MiB, silentLog, systemClock } from '@weir/core';
import { pause } from '@weir/core/testing';
import { TablesHost, type TablesHostOptions, TableWorkFailed } from './tables-host.ts';

const entry = fileURLToPath(import.meta.resolve('../../testing/answering-process.ts'));

function taskOf(tableName: string): TableTask {
  return {
    pipelineId: 'p',
    pipelineName: 'n',
    configurationId: 'c',
    tableUuid: `uuid-of-${tableName}`,
    tableName,
    yaml: '',
  };
}

function hostOf(options: Partial<TablesHostOptions> = {}): TablesHost {
  return new TablesHost({
    settings: {
      bucket: { url: 'file:///gone', allowedUrls: [], environment: {}, usesMetadataService: false },
      variables: {},
      allowedHosts: [],
    },
    onStates: () => {},
    onReplays: () => {},
    onCounts: () => {},
    onVerified: () => {},
    onRequests: () => {},
    clock: systemClock,
    log: silentLog,
    entry,
    ...options,
  });
}

const noStop = new AbortController().signal;
const ownDirectories = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`weir-tables-${process.pid}-`));

test('jobs and questions share a process, which ends with its directory', async () => {
  const host = hostOf();
  assert.equal(host.pid, undefined, 'no process without a job');
  assert.equal(await host.maintain(taskOf('orders'), { signal: noStop }), 'maintain orders');
  const { pid } = host;
  const removal = { tableUuid: 'u', tableName: 'clicks' };
  assert.equal(await host.remove(removal, { signal: noStop }), 'remove clicks');
  assert.equal(await host.ask('{}', { signal: noStop, limitMs: 1 }), 'asked {}');
  assert.equal(host.pid, pid);
  assert.equal(ownDirectories().length, 1);
  await host.end();
  assert.deepEqual(ownDirectories(), []);
  await assert.rejects(host.maintain(taskOf('orders'), { signal: noStop }), /shutting down/);
});

test('without DuckDB a job fails with one line, and no process is started', async () => {
  const host = hostOf({ searchedFrom: 'file:///nowhere/else.js' });
  await assert.rejects(
    host.maintain(taskOf('orders'), { signal: noStop }),
    (error) =>
      error instanceof TableWorkFailed && error.needsOperator && /@duckdb\/node-api/.test(error.message),
  );
  assert.equal(host.pid, undefined);
});

test('ingestion lasts until it is stopped, and tells what happens', async (t) => {
  const told: unknown[] = [];
  const host = hostOf({
    onStates: (tables) => told.push(tables.map(({ tableUuid }) => tableUuid)),
    onReplays: (replays) => told.push(replays.map(({ lagRecords }) => lagRecords)),
    onCounts: (counts) => told.push(counts.map(({ topic, rows }) => [topic, rows])),
    onVerified: (outcome) => told.push(outcome),
  });
  t.after(() => host.end());
  const stop = new AbortController();
  const ended = host.ingest(taskOf('lasting'), {
    signal: stop.signal,
    onEvent: ({ type, offset }) => told.push([type, offset]),
  });
  while (told.length < 5) await pause(1);
  assert.deepEqual(told, [
    ['record_ingestion_failed', 7],
    [['orders', 5]],
    [3],
    'missing',
    ['uuid-of-lasting'],
  ]);
  stop.abort();
  assert.equal(await ended, 'wrote 1 rows');
});

// biome-ignore format: a table
const failures: readonly [name: string, message: RegExp, needsOperator: boolean][] = [
  ['crash',   /^the process that writes tables ended \(SIGABRT: terminate called .* planted\)$/, false],
  ['heap',    /^the process that writes tables ended \(it used more than 32 MiB of memory\)$/,   false],
  ['loop',    /^the process that writes tables ended \(it did not yield for 4 s\)$/,             false],
  ['blocked', /^the table has another type$/,                                                    true],
];

for (const [name, message, needsOperator] of failures)
  test(`a failure (${name}) is one line for the jobs of the process, and the next job runs`, async (t) => {
    const host = hostOf({ heapBytesMax: 32 * MiB, ...(name === 'loop' && { silentMsMax: 4_000 }) });
    t.after(() => host.end());
    const other = host.ingest(taskOf('lasting'), { signal: noStop }).catch((error: Error) => error);
    await assert.rejects(host.ingest(taskOf(name), { signal: noStop }), (error) => {
      assert.ok(error instanceof TableWorkFailed);
      assert.match(error.message, message);
      assert.equal(error.needsOperator, needsOperator);
      return true;
    });
    if (!needsOperator) assert.match(((await other) as Error).message, message, 'a job beside it');
    assert.equal(await host.maintain(taskOf('orders'), { signal: noStop }), 'maintain orders');
  });
