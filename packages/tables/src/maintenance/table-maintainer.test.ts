import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MiB, silentLog } from '@weir/core';
import {
  FileChange,
  newestSummary,
  PropertyChange,
  planFiles,
  snapshotOfRef,
  TableNotFound,
} from '@weir/iceberg';
import { TestTable } from '../../testing/test-table.ts';
import { tableLimits } from '../limits.ts';
import { dropTable } from './drop-table.ts';
import { maintenanceSettings } from './maintenance.ts';
import { maintenanceDue } from './maintenance-due.ts';
import { TableMaintainer } from './table-maintainer.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const all = ['retention', 'clean-up'] as const;
const columns = [
  { name: 'id', isRequired: false, type: { kind: 'long' } as const },
  { name: 'kafka_timestamp', isRequired: false, type: { kind: 'timestamptz' } as const },
];

async function tableFor(
  t: TestContext,
  options: Parameters<typeof TestTable.create>[1] = {},
  limits: { readonly compactionBytesMax?: number } = {},
) {
  const table = await TestTable.create(columns, options);
  t.after(() => table.close());
  const directory = join(table.directory, 'maintainer');
  const maintainer = new TableMaintainer({
    directory,
    memoryBytesMax: 64 * MiB,
    spillBytesMax: 64 * MiB,
    clock: table.clock,
    random: table.random,
    log: silentLog,
    ...limits,
  });
  const append = (id: number) => table.append([[BigInt(id), BigInt(table.clock.nowMs()) * 1000n]]);
  return { table, directory, maintainer, append };
}

test('a clean-up says which files of the table are missing', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  for (let at = 0; at < 3; at++) await append(at);
  const verified: unknown[] = [];
  const run = async (files = table.maintenance().files) => {
    const onVerified = (outcome: string, missing: readonly string[]) => verified.push([outcome, missing]);
    return await maintainer.maintain({ ...table.maintenance(), files, steps: ['clean-up'], onVerified });
  };
  await run();
  assert.deepEqual(verified.splice(0), [['success', []]]);
  const { data } = await planFiles(
    table.files,
    await table.metadata(),
    snapshotOfRef(await table.metadata()),
  );
  const lost = data[1]!.file.path;
  await table.files.delete([lost]);
  assert.match((await run()).summary, /found 1 files missing that the table refers to$/);
  assert.deepEqual(verified.splice(0), [['missing', [lost]]]);
  const broken: typeof table.files = {
    ...table.files,
    list: () => {
      throw new Error('the bucket is away');
    },
  };
  await assert.rejects(run(broken), /clean-up: the bucket is away/);
  assert.deepEqual(verified, [['error', []]]);
});

test('a table is maintained through its life, and then costs nothing', async (t) => {
  const { table, directory, maintainer, append } = await tableFor(t, {
    properties: { 'write.metadata.previous-versions-max': '3' },
  });
  mkdirSync(join(directory, 'left-by-a-crash'), { recursive: true });
  writeFileSync(join(directory, 'left-by-a-crash', '0.parquet'), 'x');
  const { settings } = table.maintenance();
  const run = async () => {
    const steps = maintenanceDue(await table.metadata(), { settings, nowMs: table.clock.nowMs() });
    return { steps, ...(await maintainer.maintain(table.maintenance())) };
  };
  for (let at = 0; at < 20; at++) await append(at);
  await table.files.write(`${table.location}/data/orphan.parquet`, Buffer.from('x'));
  const expected = await table.expected();

  const compacted = await run();
  assert.deepEqual(compacted.steps, ['compaction']);
  assert.match(compacted.summary, /^merged 20 files \(\d+ bytes\) into 1$/);
  assert.deepEqual([compacted.counts.mergedFiles, compacted.hasMore], [20, false]);
  assert.deepEqual(await table.rows(), expected);
  assert.deepEqual(readdirSync(directory), [], 'what a crash left, and what this run used, is gone');

  assert.deepEqual((await run()).summary, 'nothing to do');

  table.clock.laterMs = 2 * dayMs;
  const young = await run();
  assert.deepEqual(young.steps, ['clean-up']);
  assert.deepEqual(
    [young.counts.orphanFiles, young.counts.expiredSnapshots],
    [0, 0],
    'they are not old enough',
  );
  assert.equal((await run()).steps.length, 0, 'once a day');

  table.clock.laterMs = 7 * dayMs;
  const late = await run();
  assert.deepEqual(late.steps, ['clean-up']);
  assert.match(
    late.summary,
    /^expired 20 snapshots and deleted 60 files, deleted 1 orphaned files, deleted \d+ old/,
  );
  const metadata = await table.metadata();
  assert.equal(metadata.snapshots.length, 1);
  assert.equal(newestSummary(metadata, 'service.source-offsets')?.value, '{"0":"20"}');
  assert.deepEqual(await table.rows(), expected);
  const paths = await table.paths();
  assert.equal(paths.filter((path) => path.startsWith('data/')).length, 1);
  assert.equal(paths.filter((path) => path.endsWith('.metadata.json')).length, 4);

  table.clock.laterMs = 300 * dayMs;
  assert.deepEqual((await run()).steps, []);
});

test('snapshots that have the offsets stay, and all between them and the newest', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  await append(1);
  const carrier = snapshotOfRef(await table.metadata())!.id;
  // Of another program, which knows nothing of offsets.
  for (let at = 0; at < 3; at++) {
    const added = [await table.write(await table.metadata(), [[9n, 0n]])];
    await table.commit(new FileChange({ operation: 'append', added }, table));
  }
  table.clock.laterMs = 10 * dayMs;
  await maintainer.maintain({ ...table.maintenance(), steps: ['expiry'] });
  const metadata = await table.metadata();
  assert.equal(metadata.snapshots.length, 4);
  assert.equal(newestSummary(metadata, 'service.source-offsets')?.snapshot.id, carrier);
  // A compaction copies them to the newest, so that the others may go.
  await maintainer.maintain({ ...table.maintenance(), steps: ['compaction', 'expiry'] });
  const later = await table.metadata();
  assert.equal(later.snapshots.length, 1);
  assert.equal(newestSummary(later, 'service.source-offsets')?.value, '{"0":"1"}');
});

test('tags and branches stay readable', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  for (const id of [1, 2]) await append(id);
  const tagged = snapshotOfRef(await table.metadata())!.id;
  await table.catalog.commit(table.name, {
    requirements: [],
    updates: [{ action: 'set-snapshot-ref', name: 'v1', ref: { type: 'tag', snapshotId: tagged } }],
  });
  table.clock.laterMs = 10 * dayMs;
  await maintainer.maintain({ ...table.maintenance(), steps: all });
  table.clock.laterMs = 20 * dayMs;
  await maintainer.maintain({ ...table.maintenance(), steps: all });
  const metadata = await table.metadata();
  assert.deepEqual(
    metadata.snapshots.map(({ id }) => id === tagged),
    [true, false],
  );
  assert.equal((await table.paths()).filter((path) => path.startsWith('data/')).length, 3);
});

test('many manifests are written anew, with the offsets', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  const count = tableLimits.tableManifestsSpare + 3;
  for (let at = 0; at < count; at++) await append(at);
  // Nothing to merge: only manifests.
  await table.commit(new PropertyChange({ set: { 'write.target-file-size-bytes': '10' } }));
  const { counts, summary } = await maintainer.maintain({ ...table.maintenance(), steps: ['compaction'] });
  assert.deepEqual(
    [counts.mergedFiles, counts.replacedManifests, summary],
    [0, count, `rewrote ${count} manifests`],
  );
  assert.deepEqual(await table.rows(), await table.expected());
  const metadata = await table.metadata();
  assert.equal(newestSummary(metadata, 'service.source-offsets')?.snapshot.id, snapshotOfRef(metadata)!.id);
});

test('with a retention, files of different times are not merged, so that they can expire', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  const retention = { column: 'kafka_timestamp', ms: 8 * dayMs };
  for (const day of [0, 1, 2, 3]) {
    table.clock.laterMs = day * 1.5 * dayMs;
    await append(2 * day);
    await append(2 * day + 1);
  }
  table.clock.laterMs = 6 * dayMs;
  const { counts } = await maintainer.maintain({ ...table.maintenance({ retention }), steps: all });
  assert.deepEqual([counts.mergedFiles, counts.writtenFiles], [8, 4]);
  table.clock.laterMs = 10 * dayMs;
  const later = await maintainer.maintain({ ...table.maintenance({ retention }), steps: all });
  assert.deepEqual([later.counts.removedFiles, later.counts.removedRows], [2, 4]);
  assert.equal((await table.rows()).length, 4);
});

test('a step that fails does not keep the others from being done', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  for (const id of [1, 2]) await append(id);
  const [file] = await table.liveFiles();
  table.clock.laterMs = 10 * dayMs;
  await table.files.delete([file!.path]);
  await assert.rejects(maintainer.maintain({ ...table.maintenance(), steps: all }), {
    name: 'MaintenanceFailed',
    message:
      /^compaction: .*: the file is missing; .* \(expired 1 snapshots and deleted \d files, found 1 files missing that the table refers to\)$/,
  });
});

test('files of kept records expire by their time, and are never merged', async (t) => {
  const { table, maintainer, append } = await tableFor(t);
  const { deadLetters, rows } = maintenanceSettings({
    retentionMs: 3 * dayMs,
    deadLetters: { mode: 'keep', retentionMs: 7 * dayMs },
    compression: 'snappy',
  });
  assert.deepEqual(rows, { retention: { column: 'kafka_timestamp', ms: 3 * dayMs }, compression: 'snappy' });
  assert.deepEqual(deadLetters.retention, { column: 'failed_at', ms: 7 * dayMs });
  await table.evolve([{ change: 'rename', path: ['kafka_timestamp'], to: 'failed_at' }]);
  for (let at = 0; at < 20; at++) await append(at);
  assert.deepEqual(
    maintenanceDue(await table.metadata(), { settings: deadLetters, nowMs: table.clock.nowMs() }),
    [],
  );
  table.clock.laterMs = 2 * dayMs;
  const early = await maintainer.maintain({ ...table.maintenance(deadLetters), steps: all });
  assert.deepEqual([early.counts.mergedFiles, (await table.liveFiles()).length], [0, 20]);
  table.clock.laterMs = 8 * dayMs;
  const late = await maintainer.maintain({ ...table.maintenance(deadLetters), steps: all });
  assert.deepEqual([late.counts.removedFiles, late.counts.removedRows], [20, 20]);
  assert.equal(newestSummary(await table.metadata(), 'service.source-offsets')?.value, '{"0":"20"}');
});

test('what is too much for one run is done by the next', async (t) => {
  const { table, maintainer } = await tableFor(
    t,
    { partitions: ['identity(id)'] },
    { compactionBytesMax: 1 },
  );
  for (const id of [1n, 2n]) for (let file = 0; file < 2; file++) await table.append([[id, 0n]], [id]);
  table.clock.laterMs = 2 * dayMs;
  const first = await maintainer.maintain({ ...table.maintenance(), steps: ['compaction'] });
  assert.deepEqual([first.counts.mergedFiles, first.hasMore], [2, true]);
  const second = await maintainer.maintain(table.maintenance());
  assert.deepEqual([second.counts.mergedFiles, second.hasMore], [2, false]);
  assert.deepEqual(await table.rows(), await table.expected());
});

test('a table that is gone needs no maintenance', async (t) => {
  const { table, maintainer } = await tableFor(t);
  await table.catalog.drop(table.name);
  assert.equal((await maintainer.maintain(table.maintenance())).summary, 'nothing to do');
});

test('a deleted table is dropped with its files, and again after a crash', async (t) => {
  const { table, append } = await tableFor(t);
  await append(1);
  const { catalog, name, files, location } = table;
  const dropped = {
    catalog,
    table: name,
    files,
    location,
    log: silentLog,
    signal: new AbortController().signal,
  };
  const beside = `${location}2/data/other.parquet`;
  await files.write(beside, Buffer.from('x'));
  const count = (await table.paths()).length;
  assert.equal(await dropTable({ ...dropped, location: `${location}2` }), 0, 'files of another table stay');
  await assert.rejects(catalog.load(name), TableNotFound);
  // The drop before removed the table and no files, as one that crashed.
  const left = (await table.paths()).length;
  assert.ok(left > 0 && left < count);
  assert.equal(await dropTable({ ...dropped, location: `${location}2` }), 0, 'the folder has another name');
  assert.equal(await dropTable(dropped), left);
  assert.deepEqual(await table.paths(), []);
  assert.equal(await dropTable(dropped), 0);
  assert.equal((await files.read(beside, 10))?.toString(), 'x');
});

test('files that belong to other tables too are not deleted', async (t) => {
  const { table, maintainer, append } = await tableFor(t, { properties: { 'gc.enabled': 'false' } });
  for (const id of [1, 2]) await append(id);
  table.clock.laterMs = 10 * dayMs;
  const before = await table.paths();
  await maintainer.maintain({ ...table.maintenance(), steps: all });
  const after = new Set(await table.paths());
  assert.deepEqual(
    before.filter((path) => !after.has(path)),
    [],
  );
  const { catalog, name, files, location } = table;
  await dropTable({
    catalog,
    table: name,
    files,
    location,
    log: silentLog,
    signal: new AbortController().signal,
  });
  assert.ok((await table.paths()).some((path) => path.startsWith('data/')));
});
