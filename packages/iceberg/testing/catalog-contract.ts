import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import type { Catalog, TableName } from '../src/catalogs/catalog.ts';
import { createTable } from '../src/changes/create-table.ts';
import type { Snapshot } from '../src/metadata/snapshot.ts';
import { currentSchema, snapshotOfRef } from '../src/metadata/table-metadata.ts';
import { CommitConflict, TableExists, TableNotFound } from '../src/table-errors.ts';
import { column, list } from './schemas.ts';

const deps = { random: seededRandom(5) };
const table: TableName = { namespace: ['shop'], name: 'orders' };
const columns = [
  column(9, 'id!', 'long'),
  column(9, 'ts', 'timestamptz'),
  column(9, 'tags', list(9, 'string')),
];

function snapshot(id: bigint, sequenceNumber: bigint, parentId?: bigint): Snapshot {
  return {
    id,
    parentId,
    sequenceNumber,
    timestampMs: Date.UTC(2026, 5, 1),
    manifestList: `s3://lake/l${id}.avro`,
    operation: 'append',
    summary: {},
    schemaId: 0,
  };
}

interface ContractOptions {
  /** False for imitations of servers that compare no versions. */
  readonly isAtomic?: boolean;
}

/** What every catalog does, whatever is behind it. `open` returns one without tables. */
export function catalogContract(
  name: string,
  open: () => Promise<Catalog>,
  { isAtomic = true }: ContractOptions = {},
): void {
  const make = (catalog: Catalog, of: TableName = table) =>
    createTable(
      catalog,
      of,
      { columns, partitions: [{ path: ['ts'], transform: { kind: 'day' } }], properties: { owner: 'x' } },
      deps,
    );

  test(`${name}: a table is created once, loaded, listed and dropped`, async () => {
    const catalog = await open();
    await assert.rejects(catalog.load(table), TableNotFound);
    const { metadata } = await make(catalog);
    assert.deepEqual(
      [...currentSchema(metadata).allColumns()].map(({ id, path }) => `${id} ${path.join('.')}`),
      ['1 id', '2 ts', '3 tags', '4 tags.element'],
    );
    assert.deepEqual(
      [
        metadata.formatVersion,
        metadata.lastColumnId,
        metadata.specs[0]!.fields[0]!.name,
        metadata.properties.owner,
      ],
      [2, 4, 'ts_day', 'x'],
    );
    await assert.rejects(make(catalog), TableExists);
    const loaded = await catalog.load(table);
    assert.equal(loaded.metadata.uuid, metadata.uuid);
    const other = { namespace: ['shop'], name: 'customers' };
    await make(catalog, other);
    assert.deepEqual(await catalog.list(['shop']), [other, table]);
    assert.deepEqual(await catalog.list(['other']), []);
    await catalog.drop(table);
    assert.deepEqual(await catalog.list(['shop']), [other]);
    await assert.rejects(catalog.load(table), TableNotFound);
    await assert.rejects(catalog.drop(table), TableNotFound);
    assert.notEqual((await make(catalog)).metadata.uuid, metadata.uuid);
  });

  test(`${name}: a commit applies all updates or none`, async () => {
    const catalog = await open();
    const { metadata } = await make(catalog);
    const id = 8349964745853934338n;
    const requirements = [
      { type: 'assert-table-uuid', uuid: metadata.uuid },
      { type: 'assert-ref-snapshot-id', ref: 'main', snapshotId: undefined },
    ] as const;
    const commit = {
      requirements,
      updates: [
        { action: 'add-snapshot', snapshot: snapshot(id, 1n) },
        { action: 'set-snapshot-ref', name: 'main', ref: { type: 'branch', snapshotId: id } },
        { action: 'set-properties', updates: { a: 'b' } },
      ],
    } as const;
    const committed = await catalog.commit(table, commit);
    assert.equal(snapshotOfRef(committed.metadata)!.id, id);
    // The same again is a conflict, and leaves nothing.
    await assert.rejects(
      catalog.commit(table, { requirements, updates: [{ action: 'set-properties', updates: { c: 'd' } }] }),
      CommitConflict,
    );
    const loaded = await catalog.load(table);
    assert.equal(loaded.metadataPath, committed.metadataPath);
    assert.deepEqual([loaded.metadata.properties.a, loaded.metadata.properties.c], ['b', undefined]);
    assert.equal(snapshotOfRef(loaded.metadata)!.id, id);
    await assert.rejects(catalog.commit({ namespace: ['shop'], name: 'nothing' }, commit), TableNotFound);
  });

  test(`${name}: of concurrent commits on one state one wins`, { skip: !isAtomic }, async () => {
    const catalog = await open();
    const { metadata } = await make(catalog);
    const requirements = [{ type: 'assert-ref-snapshot-id', ref: 'main', snapshotId: undefined }] as const;
    const outcomes = await Promise.allSettled(
      [1n, 2n, 3n, 4n].map((id) =>
        catalog.commit(table, {
          requirements,
          updates: [
            { action: 'add-snapshot', snapshot: snapshot(id, 1n) },
            { action: 'set-snapshot-ref', name: 'main', ref: { type: 'branch', snapshotId: id } },
          ],
        }),
      ),
    );
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 3);
    for (const { reason } of lost) assert.ok(reason instanceof CommitConflict, String(reason));
    const loaded = await catalog.load(table);
    assert.equal(loaded.metadata.snapshots.length, 1);
    assert.equal(loaded.metadata.uuid, metadata.uuid);
  });

  test(`${name}: 64-bit ids survive a load and a commit`, async () => {
    const catalog = await open();
    await make(catalog);
    const id = 2n ** 63n - 1n;
    await catalog.commit(table, {
      requirements: [],
      updates: [{ action: 'add-snapshot', snapshot: snapshot(id, 2n ** 53n + 1n) }],
    });
    const { metadata } = await catalog.commit(table, {
      requirements: [],
      updates: [{ action: 'set-snapshot-ref', name: 'main', ref: { type: 'branch', snapshotId: id } }],
    });
    assert.deepEqual([metadata.refs.main!.snapshotId, metadata.lastSequenceNumber], [id, 2n ** 53n + 1n]);
    await catalog.commit(table, {
      requirements: [],
      updates: [{ action: 'add-schema', schema: currentSchema(metadata) }],
    });
  });
}
