import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { dataFile } from '../../testing/files.ts';
import { typeOf } from '../../testing/schemas.ts';
import { orders, ordersPath, root, TestLake } from '../../testing/tables.ts';
import { storeDataFiles } from '../files/store-files.ts';
import type { DataFile } from '../manifests/data-file.ts';
import { newestSummary, snapshotOfRef, type TableMetadata } from '../metadata/table-metadata.ts';
import { parseTransform } from '../partitions/transform.ts';
import { manifestLayout } from '../scan/manifest-layout.ts';
import { planFiles } from '../scan/plan-files.ts';
import { entriesOf, manifestsOf } from '../scan/snapshot-manifests.ts';
import { ChangeRefused, CommitConflict } from '../table-errors.ts';
import { valueBytes } from '../values/binary-value.ts';
import { Expiry, unreachableFiles } from './expiry.ts';
import { ManifestRewrite } from './manifest-rewrite.ts';
import { PartitionEvolution, PropertyChange, SchemaEvolution } from './metadata-changes.ts';
import { missingFiles, orphanFiles } from './orphans.ts';
import type { TableChange } from './table-change.ts';

const path = (name: string) => `${ordersPath}/data/${name}`;
const file = (name: string, parts: Partial<DataFile> & { rows?: number } = {}) => dataFile(path(name), parts);

async function lakeWith(...names: string[]): Promise<TestLake> {
  const lake = new TestLake();
  await lake.create();
  for (const name of names) await lake.commit(lake.change({ operation: 'append', added: [file(name)] }));
  return lake;
}

const summaryOf = (metadata: TableMetadata) => {
  const { operation, summary } = snapshotOfRef(metadata)!;
  return { operation, ...summary };
};

test('appends, a compaction, a delete: files, counts and totals', async () => {
  const lake = await lakeWith();
  const totals = (files: number, records: number) => ({
    'total-data-files': String(files),
    'total-records': String(records),
    'total-files-size': String(files * 1000),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
    'changed-partition-count': '1',
  });
  // change, live files after it, summary
  const steps: [Parameters<TestLake['change']>[0], string[], object][] = [
    [
      {
        operation: 'append',
        added: [file('a', { rows: 3 }), file('b', { rows: 4 })],
        summary: { offsets: '{}' },
      },
      ['a', 'b'],
      {
        operation: 'append',
        offsets: '{}',
        'added-data-files': '2',
        'added-records': '7',
        'added-files-size': '2000',
        ...totals(2, 7),
      },
    ],
    [
      { operation: 'append', added: [file('c', { rows: 1 })] },
      ['a', 'b', 'c'],
      {
        operation: 'append',
        'added-data-files': '1',
        'added-records': '1',
        'added-files-size': '1000',
        ...totals(3, 8),
      },
    ],
    [
      { operation: 'replace', removed: [path('a'), path('c')], added: [file('ac', { rows: 4 })] },
      ['ac', 'b'],
      {
        operation: 'replace',
        'added-data-files': '1',
        'added-records': '4',
        'added-files-size': '1000',
        'deleted-data-files': '2',
        'deleted-records': '4',
        'removed-files-size': '2000',
        ...totals(2, 8),
      },
    ],
    [
      { operation: 'delete', removed: [path('b')] },
      ['ac'],
      {
        operation: 'delete',
        'deleted-data-files': '1',
        'deleted-records': '4',
        'removed-files-size': '1000',
        ...totals(1, 4),
      },
    ],
    [
      { operation: 'overwrite', removed: [path('ac')], added: [file('d')] },
      ['d'],
      {
        operation: 'overwrite',
        'added-data-files': '1',
        'added-records': '1',
        'added-files-size': '1000',
        'deleted-data-files': '1',
        'deleted-records': '4',
        'removed-files-size': '1000',
        ...totals(1, 1),
      },
    ],
  ];
  let sequenceNumber = 0n;
  for (const [parts, live, summary] of steps) {
    const { metadata } = await lake.commit(lake.change(parts));
    assert.deepEqual(await lake.liveFiles(), live);
    assert.deepEqual(summaryOf(metadata), summary);
    assert.equal(metadata.lastSequenceNumber, ++sequenceNumber);
    assert.equal(snapshotOfRef(metadata)!.sequenceNumber, sequenceNumber);
  }
});

test('files keep the sequence number of their snapshot through rewrites of manifests', async () => {
  const lake = await lakeWith('a', 'b', 'c');
  await lake.commit(lake.change({ operation: 'delete', removed: [path('b')] }));
  await lake.commit(new ManifestRewrite({}, lake.deps));
  const { metadata } = await lake.catalog.load(orders);
  const manifests = await manifestsOf(lake.deps.files, snapshotOfRef(metadata));
  assert.equal(manifests.length, 1);
  assert.equal(manifests[0]!.minSequenceNumber, 1n);
  const entries = await entriesOf(lake.deps.files, metadata, manifests[0]!);
  assert.deepEqual(
    entries.map(({ status, sequenceNumber, file: { path: at } }) => [status, sequenceNumber, at]).sort(),
    [
      ['existing', 1n, path('a')],
      ['existing', 3n, path('c')],
    ],
  );
  assert.equal(snapshotOfRef(metadata)!.summary['manifests-replaced'], '2');
  assert.equal(snapshotOfRef(metadata)!.summary['total-data-files'], '2');
  // A second time there is nothing to do.
  const before = (await lake.catalog.load(orders)).metadataPath;
  assert.equal((await lake.commit(new ManifestRewrite({}, lake.deps))).metadataPath, before);
});

test('small manifests are merged by appends, and not by fast ones', async () => {
  const lake = new TestLake();
  await lake.create({ properties: { 'commit.manifest.min-count-to-merge': '3' } });
  const countAfter = async (name: string, isFast: boolean) => {
    const { metadata } = await lake.commit(lake.change({ operation: 'append', added: [file(name)], isFast }));
    return (await manifestsOf(lake.deps.files, snapshotOfRef(metadata))).length;
  };
  const counts: number[] = [];
  for (const name of 'abcdefg') counts.push(await countAfter(name, name === 'd'));
  // a b c, fast d, then e merges the four of before, and so on.
  assert.deepEqual(counts, [1, 2, 3, 4, 2, 3, 2]);
  assert.deepEqual(await lake.liveFiles(), [...'abcdefg']);
});

test('a change is made on top of what others committed meanwhile', async () => {
  // what was planned, what another writer did before it was committed, the outcome
  const cases: [
    string,
    (lake: TestLake, planned: bigint) => TableChange,
    (lake: TestLake) => TableChange,
    string[] | RegExp,
  ][] = [
    [
      'append after append',
      (lake) => lake.change({ operation: 'append', added: [file('x')] }),
      (lake) => lake.change({ operation: 'append', added: [file('y')] }),
      ['a', 'b', 'x', 'y'],
    ],
    [
      'append after compaction',
      (lake) => lake.change({ operation: 'append', added: [file('x')] }),
      (lake) => lake.change({ operation: 'replace', removed: [path('a'), path('b')], added: [file('ab')] }),
      ['ab', 'x'],
    ],
    [
      'compaction after append',
      (lake, plannedOn) =>
        lake.change({
          operation: 'replace',
          removed: [path('a'), path('b')],
          added: [file('ab')],
          plannedOn,
        }),
      (lake) => lake.change({ operation: 'append', added: [file('y')] }),
      ['ab', 'y'],
    ],
    [
      'compaction of a file that was deleted',
      (lake, plannedOn) =>
        lake.change({
          operation: 'replace',
          removed: [path('a'), path('b')],
          added: [file('ab')],
          plannedOn,
        }),
      (lake) => lake.change({ operation: 'delete', removed: [path('a')] }),
      /data\/a: no longer in the table, and 0 other files/,
    ],
    [
      'compaction after a merge of manifests',
      (lake, plannedOn) =>
        lake.change({ operation: 'replace', removed: [path('a')], added: [file('x')], plannedOn }),
      (lake) => new ManifestRewrite({}, lake.deps),
      ['b', 'x'],
    ],
    [
      'overwrite of rows that others added',
      (lake, plannedOn) =>
        lake.change({
          operation: 'overwrite',
          removed: [path('a')],
          added: [file('x')],
          plannedOn,
          noNewFilesIn: { op: '>', id: 1, value: 5n },
        }),
      (lake) =>
        lake.change({
          operation: 'append',
          added: [file('y', { columns: new Map([[1, { upper: valueBytes({ kind: 'long' }, 9n) }]]) })],
        }),
      /data\/y: added since the change was planned/,
    ],
    [
      'overwrite beside rows that others added',
      (lake, plannedOn) =>
        lake.change({
          operation: 'overwrite',
          removed: [path('a')],
          added: [file('x')],
          plannedOn,
          noNewFilesIn: { op: '>', id: 1, value: 5n },
        }),
      (lake) =>
        lake.change({
          operation: 'append',
          added: [file('y', { columns: new Map([[1, { upper: valueBytes({ kind: 'long' }, 5n) }]]) })],
        }),
      ['b', 'x', 'y'],
    ],
    [
      'compaction after delete files',
      (lake, plannedOn) =>
        lake.change({
          operation: 'replace',
          removed: [path('a')],
          added: [file('x')],
          plannedOn,
          dataSequenceNumber: 2n,
        }),
      (lake) => lake.change({ operation: 'overwrite', added: [file('d', { content: 'position-deletes' })] }),
      /delete files were added since/,
    ],
    [
      'compaction without a sequence number',
      (lake) => lake.change({ operation: 'replace', removed: [path('a')], added: [file('x')] }),
      (lake) =>
        lake.change({
          operation: 'overwrite',
          added: [file('d', { content: 'equality-deletes', equalityIds: [1] })],
        }),
      /the table has delete files/,
    ],
    [
      'obsolete change',
      (lake) =>
        lake.change({
          operation: 'append',
          added: [file('x')],
          validate: (metadata) => {
            if (metadata.snapshots.length > 2) throw new ChangeRefused('offsets were passed');
          },
        }),
      (lake) => lake.change({ operation: 'append', added: [file('y')] }),
      /offsets were passed/,
    ],
    [
      'property after append',
      () => new PropertyChange({ set: { a: 'b' } }),
      (lake) => lake.change({ operation: 'append', added: [file('y')] }),
      ['a', 'b', 'y'],
    ],
  ];
  for (const [name, planned, other, outcome] of cases) {
    const lake = await lakeWith('a', 'b');
    const { metadata } = await lake.catalog.load(orders);
    const change = planned(lake, snapshotOfRef(metadata)!.id);
    // It is prepared for the state of before, and loses the race.
    const stale = await change.on(metadata).catch(() => undefined);
    await lake.commit(other(lake.another(2)));
    if (stale !== undefined && !(change instanceof PropertyChange))
      await assert.rejects(lake.catalog.commit(orders, stale), CommitConflict, name);
    if (outcome instanceof RegExp) {
      const live = await lake.liveFiles();
      const before = (await lake.keys()).length;
      await assert.rejects(
        lake.commit(change),
        (error: Error) => error instanceof ChangeRefused && outcome.test(error.message),
        name,
      );
      assert.deepEqual(await lake.liveFiles(), live, name);
      // What the refused change wrote is gone.
      assert.ok((await lake.keys()).length <= before, name);
    } else {
      await lake.commit(change);
      assert.deepEqual(await lake.liveFiles(), outcome, name);
    }
  }
});

test('schemas, partitions and properties change', async () => {
  const lake = await lakeWith('a');
  const { metadata } = await lake.catalog.load(orders);
  const add = new SchemaEvolution([{ change: 'add', path: ['n'], type: typeOf('int') }], metadata);
  const rename = new SchemaEvolution([{ change: 'rename', path: ['note'], to: 'remark' }], metadata);
  const evolved = await lake.commit(add);
  assert.deepEqual(
    [evolved.metadata.currentSchemaId, evolved.metadata.lastColumnId, evolved.metadata.schemas.length],
    [1, 4, 2],
  );
  // Again it changes nothing: it is in.
  assert.equal((await lake.commit(add)).metadataPath, evolved.metadataPath);
  await assert.rejects(lake.commit(rename), /the schema of the table was changed meanwhile/);
  const byDay = new PartitionEvolution([{ path: ['ts'], transform: parseTransform('day', 'x') }]);
  const divided = await lake.commit(byDay);
  assert.deepEqual([divided.metadata.defaultSpecId, divided.metadata.lastPartitionId], [1, 1000]);
  assert.equal((await lake.commit(byDay)).metadataPath, divided.metadataPath);
  await lake.commit(
    lake.change({
      operation: 'append',
      added: [file('b', { specId: 1, partition: [20_000] }), file('c', { specId: 1, partition: [20_001] })],
    }),
  );
  // Files of both specs are planned; a filter leaves out what cannot match.
  const loaded = (await lake.catalog.load(orders)).metadata;
  const from = { op: '>=', id: 2, value: 20_001n * 86_400_000_000n } as const;
  const { data } = await planFiles(lake.deps.files, loaded, snapshotOfRef(loaded), from);
  assert.deepEqual(data.map(({ file: { path: at } }) => at).sort(), [path('a'), path('c')]);
  const set = await lake.commit(new PropertyChange({ set: { x: '1' }, removed: ['y'] }));
  assert.deepEqual(set.metadata.properties, { x: '1' });
});

test('branches grow apart from main', async () => {
  const lake = await lakeWith('a');
  await lake.commit(lake.change({ operation: 'append', added: [file('b')], branch: 'audit' }));
  await lake.commit(lake.change({ operation: 'append', added: [file('c')], branch: 'audit' }));
  assert.deepEqual([await lake.liveFiles(), await lake.liveFiles('audit')], [['a'], ['b', 'c']]);
});

test('expiry keeps what branches, tags and rules name, and deletes only what nothing refers to', async () => {
  const lake = await lakeWith('a', 'b');
  const { metadata: tagged } = await lake.catalog.load(orders);
  await lake.catalog.commit(orders, {
    requirements: [],
    updates: [
      { action: 'set-snapshot-ref', name: 'v1', ref: { type: 'tag', snapshotId: snapshotOfRef(tagged)!.id } },
    ],
  });
  await lake.commit(
    lake.change({ operation: 'replace', removed: [path('a'), path('b')], added: [file('ab')] }),
  );
  await lake.commit(lake.change({ operation: 'append', added: [file('c')] }));
  await lake.commit(
    lake.change({ operation: 'replace', removed: [path('ab'), path('c')], added: [file('abc')] }),
  );
  for (const name of ['a', 'b', 'ab', 'c', 'abc']) await lake.deps.files.write(path(name), Buffer.from(name));
  const before = (await lake.catalog.load(orders)).metadata;
  assert.equal(before.snapshots.length, 5);
  const nowMs = before.lastUpdatedMs + 1;
  const expire = async (rules: Partial<ConstructorParameters<typeof Expiry>[0]>) =>
    (await lake.commit(new Expiry({ nowMs, maxSnapshotAgeMs: 0, ...rules }))).metadata;
  // The tag keeps its snapshot, and main the last two.
  const after = await expire({ minSnapshotsToKeep: 2 });
  assert.equal(after.snapshots.length, 3);
  const unreachable = await unreachableFiles(lake.deps.files, before, after);
  // a and b are in the tagged snapshot, ab and c in the last but one.
  assert.deepEqual(
    unreachable.filter((one) => one.includes('/data/')),
    [],
  );
  await lake.deps.files.delete(unreachable);
  const last = await expire({});
  const gone = await unreachableFiles(lake.deps.files, after, last);
  assert.deepEqual(gone.filter((one) => one.includes('/data/')).sort(), [path('ab'), path('c')]);
  await lake.deps.files.delete(gone);
  assert.deepEqual(await lake.liveFiles(), ['abc']);
  assert.deepEqual(await lake.liveFiles('v1'), ['a', 'b']);
  // Snapshots that others rely on stay.
  await lake.commit(lake.change({ operation: 'append', added: [file('d')] }));
  const kept = await expire({
    alsoKept: ({ snapshots }) => snapshots.filter(({ summary }) => summary['added-records'] === '1'),
  });
  assert.equal(kept.snapshots.length, 3);
  assert.deepEqual(kept.snapshotLog.length, 2);
});

test('age keeps only so many snapshots of a branch', async () => {
  const lake = await lakeWith('a', 'b', 'c', 'd');
  const { metadata } = await lake.catalog.load(orders);
  const nowMs = metadata.lastUpdatedMs + 1;
  // most, at least, expired
  const cases: [number | undefined, number, number][] = [
    [undefined, 1, 0],
    [4, 1, 0],
    [3, 1, 1],
    [1, 1, 3],
    [1, 2, 2],
  ];
  for (const [snapshotsMax, minSnapshotsToKeep, expired] of cases)
    assert.equal(
      new Expiry({ nowMs, snapshotsMax, minSnapshotsToKeep }).expiredCount(metadata),
      expired,
      `${snapshotsMax} ${minSnapshotsToKeep}`,
    );
});

test('the layout of manifests says how many share a partition', async () => {
  const lake = new TestLake();
  await lake.create({ partitions: [{ path: ['ts'], transform: { kind: 'day' } }] });
  const layout = async () => {
    const { metadata } = await lake.catalog.load(orders);
    return manifestLayout(lake.deps.files, metadata, snapshotOfRef(metadata));
  };
  assert.deepEqual(await layout(), { manifests: 0, filesOfSpecs: new Map(), overlap: 0 });
  // days of the files of each append
  const appends = [
    [1, 3],
    [2, 5],
    [4, 9],
    [20, 20],
  ];
  for (const [at, days] of appends.entries())
    await lake.commit(
      lake.change({
        operation: 'append',
        added: days.map((day, of) => file(`${at}-${of}`, { partition: [day] })),
      }),
    );
  // 1 to 3 and 2 to 5, 2 to 5 and 4 to 9.
  assert.deepEqual(await layout(), { manifests: 4, filesOfSpecs: new Map([[0, 8]]), overlap: 1 });
  await lake.commit(new ManifestRewrite({ summary: () => ({ offsets: '7' }) }, lake.deps));
  assert.deepEqual(await layout(), { manifests: 1, filesOfSpecs: new Map([[0, 8]]), overlap: 0 });
  assert.equal(newestSummary((await lake.catalog.load(orders)).metadata, 'offsets')?.value, '7');
});

test('data files are written and read in parts', async () => {
  const lake = new TestLake();
  const files = storeDataFiles(lake.store, root);
  assert.equal(await files.readRange(path('x'), 0, 4), undefined);
  const written = await files.beginWrite(path('x'));
  await written.write(Buffer.from('data'));
  assert.equal(await files.readRange(path('x'), 0, 4), undefined, 'not before it is finished');
  await written.finish();
  assert.equal(String(await files.readRange(path('x'), 1, 9)), 'ata');
  const aborted = await files.beginWrite(path('y'));
  await aborted.write(Buffer.from('data'));
  await aborted.abort();
  assert.equal(await files.readRange(path('y'), 0, 4), undefined);
  await assert.rejects(files.beginWrite('s3://elsewhere/x'), /is outside of/);
});

test('orphans are old files that nothing refers to', async () => {
  const lake = await lakeWith('a', 'b');
  await lake.commit(
    lake.change({ operation: 'replace', removed: [path('a'), path('b')], added: [file('ab')] }),
  );
  for (const name of ['a', 'b', 'ab', 'lost.parquet'])
    await lake.deps.files.write(path(name), Buffer.from(name));
  await lake.deps.files.write(`${ordersPath}/metadata/lost-m0.avro`, Buffer.from('x'));
  await lake.deps.files.write(`${ordersPath}2/data/other.parquet`, Buffer.from('x'));
  const { metadata } = await lake.catalog.load(orders);
  const hourMs = 3_600_000;
  const found = async (ageMs: number, minAgeMs: number, of: TableMetadata = metadata) => {
    const paths: string[] = [];
    const rules = { nowMs: systemClock.nowMs() + ageMs, minAgeMs };
    for await (const page of orphanFiles(lake.deps.files, of, rules)) paths.push(...page);
    return paths.map((one) => one.slice(ordersPath.length));
  };
  // Snapshots of before still have a and b.
  assert.deepEqual(await found(2 * hourMs, hourMs), ['/data/lost.parquet', '/metadata/lost-m0.avro']);
  assert.deepEqual(await found(hourMs / 2, hourMs), [], 'of a commit that may be on its way');
  const shared = { ...metadata, properties: { 'gc.enabled': 'false' } };
  assert.deepEqual(await found(2 * hourMs, hourMs, shared), []);
  await assert.rejects(found(hourMs, hourMs - 1), /may belong to a commit that is being made/);
  // After an expiry that did not delete what it could.
  const expired = await lake.commit(new Expiry({ nowMs: metadata.lastUpdatedMs + 1, maxSnapshotAgeMs: 0 }));
  const gone = await found(2 * hourMs, hourMs, expired.metadata);
  assert.deepEqual(
    gone.filter((one) => one.startsWith('/data/')),
    ['/data/a', '/data/b', '/data/lost.parquet'],
  );
  await lake.deps.files.delete(gone.map((one) => ordersPath + one));
  assert.deepEqual(await lake.liveFiles(), ['ab']);
});

test('files are missing that a table refers to and that do not exist, however they are spelled', async () => {
  const lake = await lakeWith('a', 'b');
  const hadoop = path('spark.parquet').replace('s3://', 's3a://');
  await lake.commit(lake.change({ operation: 'append', added: [dataFile(hadoop)] }));
  for (const one of [path('a'), hadoop]) await lake.deps.files.write(one, Buffer.from('x'));
  const { metadata } = await lake.catalog.load(orders);
  let unseen: readonly string[] = [];
  const rules = {
    nowMs: systemClock.nowMs(),
    minAgeMs: 3_600_000,
    onListed: (paths: readonly string[]) => {
      unseen = paths;
    },
  };
  assert.deepEqual(await Array.fromAsync(orphanFiles(lake.deps.files, metadata, rules)), []);
  assert.deepEqual(unseen, [path('b')]);
  const missing = async () =>
    missingFiles(lake.deps.files, (await lake.catalog.load(orders)).metadata, unseen);
  assert.deepEqual(await missing(), [path('b')]);
  // A longer name is another file.
  await lake.deps.files.write(`${path('b')}2`, Buffer.from('x'));
  assert.deepEqual(await missing(), [path('b')]);
  await lake.deps.files.write(path('b'), Buffer.from('x'));
  assert.deepEqual(await missing(), [], 'it came later');
  await lake.deps.files.delete([path('b')]);
  await lake.commit(lake.change({ operation: 'delete', removed: [path('b')] }));
  const gone = await lake.commit(
    new Expiry({ nowMs: (await lake.catalog.load(orders)).metadata.lastUpdatedMs + 1, maxSnapshotAgeMs: 0 }),
  );
  assert.deepEqual(
    await missingFiles(lake.deps.files, gone.metadata, unseen),
    [],
    'it is not needed any more',
  );
});

test('files are not taken for orphans because another program spells their URIs differently', async () => {
  const lake = await lakeWith();
  const hadoop = path('spark.parquet').replace('s3://', 's3a://');
  await lake.commit(lake.change({ operation: 'append', added: [dataFile(hadoop)] }));
  await lake.deps.files.write(hadoop, Buffer.from('x'));
  const { metadata } = await lake.catalog.load(orders);
  const rules = { nowMs: systemClock.nowMs() + 7_200_000, minAgeMs: 3_600_000 };
  assert.deepEqual(await Array.fromAsync(orphanFiles(lake.deps.files, metadata, rules)), []);
});

test('what a writer put into summaries is found behind snapshots of others', async () => {
  const lake = await lakeWith('a');
  const main = async () => newestSummary((await lake.catalog.load(orders)).metadata, 'offsets')?.value;
  assert.equal(await main(), undefined);
  for (const [name, offsets] of [
    ['b', '5'],
    ['c', '9'],
  ] as const)
    await lake.commit(lake.change({ operation: 'append', added: [file(name)], summary: { offsets } }));
  await lake.commit(lake.change({ operation: 'replace', removed: [path('b')], added: [file('bb')] }));
  assert.equal(await main(), '9');
});

test('a table of format version 1 is not written', async () => {
  const lake = await lakeWith();
  const { metadata } = await lake.catalog.load(orders);
  const change = lake.change({ operation: 'append', added: [file('a')] });
  await assert.rejects(change.on({ ...metadata, formatVersion: 1 }), /upgrade it to version 2 first/);
});

test('changes that contradict themselves are refused', () => {
  const lake = new TestLake();
  assert.throws(
    () => lake.change({ operation: 'append', removed: [path('a')] }),
    /an append removes no files/,
  );
  assert.throws(() => lake.change({ operation: 'delete', added: [file('a')] }), /a delete adds no files/);
  assert.throws(() => lake.change({ operation: 'append', added: [file('a'), file('a')] }), /added twice/);
  assert.throws(
    () => lake.change({ operation: 'replace', added: [file('a')], removed: [path('a')] }),
    /added and removed/,
  );
});
