import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MiB } from '@weir/core';
import { newestSummary, PropertyChange, planFiles } from '@weir/iceberg';
import { aroundStore, type ObjectStore, StoreError } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { TestTable } from '../../testing/test-table.ts';
import { DuckDbRewriter } from '../parquet/duckdb-rewrite.ts';
import { cleanUp } from './clean-up.ts';
import { compact } from './compact.ts';
import { expireSnapshots } from './expire-snapshots.ts';
import { retainRows } from './retain-rows.ts';
import { rewriteManifests } from './rewrite-manifests.ts';

const dayMs = 86_400_000;
const retention = { column: 'kafka_timestamp', ms: 40 * dayMs };
const table = await TestTable.create([
  { name: 'id', isRequired: false, type: { kind: 'long' } },
  { name: 'kafka_timestamp', isRequired: false, type: { kind: 'timestamptz' } },
  { name: 'n', isRequired: false, type: { kind: 'int' } },
]);
const directory = await mkdtemp(join(table.directory, 'merged-'));
const rewriter = await DuckDbRewriter.open({ directory, memoryBytesMax: 64 * MiB, spillBytesMax: 64 * MiB });
after(() => {
  rewriter.close();
  table.close();
});

/** Every step in turn, until one fails. */
async function maintain(of: TestTable): Promise<void> {
  const maintenance = of.maintenance({ retention });
  await retainRows(maintenance);
  const { failures } = await compact(maintenance, async () => ({ rewriter, directory }));
  if (failures.length > 0) throw new Error(failures.join());
  await rewriteManifests(maintenance);
  await expireSnapshots(maintenance);
  await cleanUp(maintenance);
}

const writes = new Set([
  'put',
  'putIfAbsent',
  'beginUpload',
  'putPart',
  'finishUpload',
  'delete',
  'deleteMany',
]);

/** A store whose process dies after so many writes. Nothing works afterwards. */
function dyingStore(inner: ObjectStore, writesMax: number) {
  let [count, hasDied] = [0, false];
  const store = aroundStore(inner, async ({ operation, key, signal, run }) => {
    if (writes.has(operation) && ++count > writesMax) hasDied = true;
    if (hasDied) throw new StoreError('unavailable', key, 'the process died by design');
    return run(signal);
  });
  return { store, hasDied: () => hasDied };
}

async function copyOf(store: ObjectStore): Promise<ObjectStore> {
  const copy = emptyMemoryStore();
  for await (const page of store.list(''))
    for (const { key, bytes } of page) await copy.put(key, [await store.getRange(key, 0, bytes)]);
  return copy;
}

/** Every file of every snapshot exists. */
async function assertWhole(of: TestTable): Promise<void> {
  const metadata = await of.metadata();
  const paths = new Set((await of.paths()).map((path) => `${of.location}/${path}`));
  for (const snapshot of metadata.snapshots) {
    const { data } = await planFiles(of.files, metadata, snapshot);
    for (const { file } of data) assert.ok(paths.has(file.path), `${file.path} of ${snapshot.id}`);
  }
}

test('a crash at any write leaves all rows, and the next run finishes the work', async () => {
  const now = () => BigInt(table.clock.nowMs()) * 1000n;
  await table.append([[0n, now(), 1]]);
  table.clock.laterMs = 50 * dayMs;
  for (const id of [1n, 2n]) await table.append([[id, now(), Number(id)]]);
  await table.evolve([
    { change: 'rename', path: ['n'], to: 'm' },
    { change: 'widen', path: ['m'], type: { kind: 'long' } },
    { change: 'add', path: ['n'], type: { kind: 'string' } },
  ]);
  await table.append([[3n, now(), 3n, 'x']]);
  await table.commit(new PropertyChange({ set: { 'write.metadata.previous-versions-max': '2' } }));
  await table.files.write(`${table.location}/data/orphan.parquet`, Buffer.from('x'));
  table.clock.laterMs += 6 * dayMs;
  const allRows = await table.expected();
  const youngRows = allRows.filter((row) => !row.startsWith('0 '));
  const offsets = `{"0":"${table.nextOffset}"}`;
  let [count, hasDied] = [0, true];
  for (; hasDied; count++) {
    const copy = await copyOf(table.store);
    const dying = dyingStore(copy, count);
    await maintain(table.over(dying.store, count + 5)).catch((error: Error) => {
      assert.ok(dying.hasDied(), error.stack);
    });
    hasDied = dying.hasDied();
    const name = `after ${count} writes`;
    const survivor = table.over(copy, count + 1000);
    const rows = await survivor.rows();
    assert.deepEqual(rows, rows.length === allRows.length ? allRows : youngRows, name);
    await assertWhole(survivor);
    await maintain(survivor);
    assert.deepEqual(await survivor.rows(), youngRows, name);
    await assertWhole(survivor);
    const metadata = await survivor.metadata();
    assert.equal(newestSummary(metadata, 'service.source-offsets')?.value, offsets, name);
    // When all other snapshots have expired, and orphans are old enough, nothing is left over.
    survivor.clock.laterMs += 6 * dayMs;
    await maintain(survivor);
    const left = (await survivor.paths()).filter((path) => path.startsWith('data/'));
    assert.deepEqual(
      left,
      (await survivor.liveFiles()).map(({ path }) => path.slice(table.location.length + 1)),
    );
    assert.equal(left.length, 1, name);
  }
  assert.ok(count > 20, `${count} writes`);
});
