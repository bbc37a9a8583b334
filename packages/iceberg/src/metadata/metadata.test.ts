import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column, schemaOf } from '../../testing/schemas.ts';
import { parseJson, printJson } from '../json/exact-json.ts';
import { newSpec, unpartitioned } from '../partitions/partition-spec.ts';
import { unsorted } from '../partitions/sort-order.ts';
import { parseTransform } from '../partitions/transform.ts';
import { CommitConflict, InvalidTable } from '../table-errors.ts';
import { metadataJson, parseMetadata, printMetadata } from './metadata-json.ts';
import type { Snapshot } from './snapshot.ts';
import { ancestors, currentSchema, snapshotOfRef } from './table-metadata.ts';
import {
  applyUpdates,
  checkRequirements,
  createFromUpdates,
  type TableRequirement,
  type TableUpdate,
} from './updates.ts';
import { commitJson, readCommit } from './updates-json.ts';

const schema = schemaOf(column(1, 'id!', 'long'), column(2, 'ts', 'timestamptz'));
const created = createFromUpdates(
  [
    { action: 'assign-uuid', uuid: 'u1' },
    { action: 'set-location', location: 's3://b/t/' },
    { action: 'add-schema', schema },
    { action: 'set-current-schema', schemaId: -1 },
    { action: 'add-spec', spec: unpartitioned },
    { action: 'set-default-spec', specId: -1 },
    { action: 'add-sort-order', order: unsorted },
    { action: 'set-default-sort-order', orderId: -1 },
  ],
  1000,
);

const bigId = 8349964745853934338n;
function snapshot(id: bigint, sequenceNumber: number, parentId?: bigint): Snapshot {
  return {
    id,
    parentId,
    sequenceNumber: BigInt(sequenceNumber),
    timestampMs: 1000 * sequenceNumber,
    manifestList: `s3://b/t/metadata/${id}.avro`,
    operation: 'append',
    summary: { 'total-records': '5' },
    schemaId: 0,
  };
}
const add = (one: Snapshot, ref = 'main'): TableUpdate[] => [
  { action: 'add-snapshot', snapshot: one },
  { action: 'set-snapshot-ref', name: ref, ref: { type: 'branch', snapshotId: one.id } },
];
const withTwo = applyUpdates(created, [...add(snapshot(bigId, 1)), ...add(snapshot(7n, 2, bigId))], 5000);

test('metadata is printed and read, with ids of 64 bits', () => {
  const text = printMetadata(withTwo).toString();
  assert.match(text, /"current-snapshot-id":7,/);
  assert.match(text, /"snapshot-id":8349964745853934338/);
  assert.match(text, /"parent-snapshot-id":8349964745853934338/);
  const read = parseMetadata(Buffer.from(text), 'v1.metadata.json');
  assert.equal(printMetadata(read).toString(), text);
  assert.deepEqual(
    [...ancestors(read, snapshotOfRef(read))].map(({ id }) => id),
    [7n, bigId],
  );
  assert.deepEqual(read.snapshotLog, [{ timestampMs: 2000, snapshotId: 7n }]);
});

test('metadata of format version 1 is read', () => {
  const first = {
    'format-version': 1,
    location: 's3://b/t',
    'last-updated-ms': 5,
    'last-column-id': 2,
    schema: {
      type: 'struct',
      fields: [
        { id: 1, name: 'id', required: true, type: 'long' },
        { id: 2, name: 'ts', required: false, type: 'date' },
      ],
    },
    'partition-spec': [{ name: 'ts', transform: 'identity', 'source-id': 2 }],
    properties: { owner: 'x' },
    'current-snapshot-id': bigId,
    snapshots: [{ 'snapshot-id': bigId, 'timestamp-ms': 5, manifests: ['s3://b/m.avro'] }],
  };
  const read = parseMetadata(Buffer.from(printJson(first)), 'v1.metadata.json');
  assert.deepEqual(
    [read.formatVersion, read.lastPartitionId, read.specs[0]!.fields[0]!.id, read.sortOrders[0]!.id],
    [1, 1000, 1000, 0],
  );
  assert.equal(snapshotOfRef(read)!.sequenceNumber, 0n);
  assert.equal(currentSchema(read).columns.length, 2);
  // It is upgraded by an update, and by nothing else.
  const upgraded = applyUpdates(
    { ...read, uuid: 'u' },
    [{ action: 'upgrade-format-version', formatVersion: 2 }],
    6,
  );
  assert.equal(metadataJson(upgraded)['format-version'], 2);
  assert.throws(
    () => applyUpdates(upgraded, [{ action: 'upgrade-format-version', formatVersion: 1 }], 6),
    /cannot become 1/,
  );
});

test('metadata that cannot be read is refused with the place', () => {
  const json = metadataJson(withTwo);
  // changed fields, problem
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ 'format-version': 3 }, /format version 3 is not supported; Weir reads 1 and 2/],
    [{ 'table-uuid': undefined }, /m\.json\.table-uuid: missing/],
    [{ 'current-schema-id': 9 }, /no schema with the id 9/],
    [{ 'default-spec-id': 9 }, /no partition spec with the id 9/],
    [{ 'current-snapshot-id': 99 }, /main is the snapshot 99, which does not exist/],
    [{ refs: { tag: { type: 'note', 'snapshot-id': 7 } } }, /refs\.tag\.type: must be branch or tag/],
    [{ properties: { a: 1 } }, /properties\.a: must be a string/],
  ];
  for (const [changed, problem] of cases)
    assert.throws(
      () => parseMetadata(Buffer.from(printJson({ ...json, ...(changed as object) })), 'm.json'),
      problem,
    );
});

test('updates', () => {
  const byDay = newSpec(schema, [{ path: ['ts'], transform: parseTransform('day', 'x') }]);
  const wide = schemaOf(column(1, 'id!', 'long'), column(2, 'ts', 'timestamptz'), column(5, 'n', 'int'));
  // updates, what results
  const cases: [TableUpdate[], (metadata: typeof created) => unknown, unknown][] = [
    [
      [{ action: 'add-schema', schema: wide }],
      ({ currentSchemaId, lastColumnId }) => [currentSchemaId, lastColumnId],
      [0, 5],
    ],
    [
      [
        { action: 'add-schema', schema: wide, lastColumnId: 9 },
        { action: 'set-current-schema', schemaId: -1 },
      ],
      ({ currentSchemaId, lastColumnId }) => [currentSchemaId, lastColumnId],
      [1, 9],
    ],
    // An equal schema is not added again.
    [
      [
        { action: 'add-schema', schema },
        { action: 'set-current-schema', schemaId: -1 },
      ],
      ({ schemas, currentSchemaId }) => [schemas.length, currentSchemaId],
      [1, 0],
    ],
    [
      [
        { action: 'add-spec', spec: byDay },
        { action: 'set-default-spec', specId: -1 },
      ],
      ({ specs, defaultSpecId, lastPartitionId }) => [specs.length, defaultSpecId, lastPartitionId],
      [2, 1, 1000],
    ],
    [
      [
        { action: 'set-properties', updates: { a: '1', b: '2' } },
        { action: 'remove-properties', removals: ['a'] },
      ],
      ({ properties }) => properties,
      { b: '2' },
    ],
    [
      [{ action: 'set-snapshot-ref', name: 'v1', ref: { type: 'tag', snapshotId: bigId } }],
      ({ refs }) => Object.keys(refs),
      ['main', 'v1'],
    ],
    [
      [{ action: 'remove-snapshots', snapshotIds: [bigId] }],
      ({ snapshots, snapshotLog }) => [snapshots.length, snapshotLog.length],
      [1, 1],
    ],
    [
      add(snapshot(9n, 3, 7n)),
      ({ lastSequenceNumber, snapshotLog, lastUpdatedMs }) => [
        lastSequenceNumber,
        snapshotLog.length,
        lastUpdatedMs,
      ],
      [3n, 2, 6000],
    ],
    // A snapshot of another branch is not in the log.
    [
      add(snapshot(9n, 3, 7n), 'audit'),
      ({ snapshotLog, refs }) => [snapshotLog.length, refs.main!.snapshotId],
      [1, 7n],
    ],
    // Back to an older snapshot.
    [
      [{ action: 'set-snapshot-ref', name: 'main', ref: { type: 'branch', snapshotId: bigId } }],
      ({ snapshotLog }) => snapshotLog.map(({ snapshotId }) => snapshotId),
      [7n, bigId],
    ],
    [
      [
        { action: 'set-statistics', statistics: { snapshotId: 7n, json: { 'snapshot-id': 7 } } },
        { action: 'remove-statistics', snapshotId: 7n },
      ],
      ({ statistics }) => statistics,
      [],
    ],
    [[{ action: 'set-location', location: 's3://c/u/' }], ({ location }) => location, 's3://c/u'],
  ];
  for (const [updates, part, expected] of cases)
    assert.deepEqual(part(applyUpdates(withTwo, updates, 6000)), expected, updates[0]!.action);
  assert.equal(applyUpdates(withTwo, [], 0).lastUpdatedMs, 5000, 'time does not go back');
});

test('updates that break the table are refused', () => {
  const byDay = newSpec(schema, [{ path: ['ts'], transform: parseTransform('day', 'x') }]);
  const partitioned = applyUpdates(
    created,
    [
      { action: 'add-spec', spec: byDay },
      { action: 'set-default-spec', specId: -1 },
    ],
    1,
  );
  // state, updates, problem
  const cases: [typeof created, TableUpdate[], RegExp][] = [
    [created, [{ action: 'assign-uuid', uuid: 'u2' }], /UUID of a table cannot be changed/],
    [created, [{ action: 'set-current-schema', schemaId: 5 }], /no schema with the id 5/],
    [created, [{ action: 'set-current-schema', schemaId: -1 }], /none was added/],
    [created, [{ action: 'set-default-spec', specId: 5 }], /no partition spec with the id 5/],
    [created, [{ action: 'upgrade-format-version', formatVersion: 3 }], /format version 3 is not supported/],
    [withTwo, [{ action: 'add-snapshot', snapshot: snapshot(7n, 9) }], /the snapshot 7 exists already/],
    [
      withTwo,
      [{ action: 'set-snapshot-ref', name: 'main', ref: { type: 'branch', snapshotId: 99n } }],
      /there is no snapshot 99/,
    ],
    [withTwo, [{ action: 'remove-snapshots', snapshotIds: [7n] }], /cannot be removed: main is there/],
    [
      partitioned,
      [
        { action: 'add-schema', schema: schemaOf(column(1, 'id!', 'long')) },
        { action: 'set-current-schema', schemaId: -1 },
      ],
      /no column with the id 2/,
    ],
  ];
  for (const [state, updates, problem] of cases)
    assert.throws(() => applyUpdates(state, updates, 1), problem);
  assert.throws(() => applyUpdates(withTwo, add(snapshot(9n, 2, 7n)), 1), CommitConflict);
  assert.throws(() => createFromUpdates([{ action: 'assign-uuid', uuid: 'u' }], 1), InvalidTable);
});

test('requirements', () => {
  // requirement, whether it holds
  const cases: [TableRequirement, boolean][] = [
    [{ type: 'assert-create' }, false],
    [{ type: 'assert-table-uuid', uuid: 'u1' }, true],
    [{ type: 'assert-table-uuid', uuid: 'u2' }, false],
    [{ type: 'assert-ref-snapshot-id', ref: 'main', snapshotId: 7n }, true],
    [{ type: 'assert-ref-snapshot-id', ref: 'main', snapshotId: undefined }, false],
    [{ type: 'assert-ref-snapshot-id', ref: 'toString', snapshotId: undefined }, true],
    [{ type: 'assert-last-assigned-field-id', id: 2 }, true],
    [{ type: 'assert-current-schema-id', id: 1 }, false],
    [{ type: 'assert-last-assigned-partition-id', id: 999 }, true],
    [{ type: 'assert-default-spec-id', id: 0 }, true],
    [{ type: 'assert-default-sort-order-id', id: 1 }, false],
  ];
  for (const [requirement, holds] of cases) {
    const check = () => checkRequirements(withTwo, [requirement]);
    if (holds) check();
    else assert.throws(check, CommitConflict, requirement.type);
  }
  checkRequirements(undefined, [{ type: 'assert-create' }]);
  assert.throws(
    () => checkRequirements(undefined, [{ type: 'assert-table-uuid', uuid: 'u1' }]),
    /does not exist/,
  );
});

test('commits are the JSON of the REST protocol', () => {
  const golden =
    '{"requirements":[{"type":"assert-table-uuid","uuid":"u1"},{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":8349964745853934338},' +
    '{"type":"assert-ref-snapshot-id","ref":"b","snapshot-id":null},{"type":"assert-create"},{"type":"assert-last-assigned-field-id","last-assigned-field-id":3},' +
    '{"type":"assert-default-sort-order-id","default-sort-order-id":0}],"updates":[' +
    [
      '{"action":"assign-uuid","uuid":"u1"}',
      '{"action":"upgrade-format-version","format-version":2}',
      '{"action":"add-schema","schema":{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"id","required":true,"type":"long"}]},"last-column-id":1}',
      '{"action":"set-current-schema","schema-id":-1}',
      '{"action":"add-spec","spec":{"spec-id":0,"fields":[{"source-id":2,"field-id":1000,"name":"d","transform":"day"}]}}',
      '{"action":"set-default-spec","spec-id":-1}',
      '{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"transform":"identity","source-id":1,"direction":"asc","null-order":"nulls-first"}]}}',
      '{"action":"set-default-sort-order","sort-order-id":-1}',
      '{"action":"add-snapshot","snapshot":{"snapshot-id":8349964745853934338,"parent-snapshot-id":7,"sequence-number":3,"timestamp-ms":5,"summary":{"operation":"append","a":"b"},"manifest-list":"s3://l","schema-id":0}}',
      '{"action":"set-snapshot-ref","ref-name":"main","snapshot-id":8349964745853934338,"type":"branch","min-snapshots-to-keep":3}',
      '{"action":"remove-snapshots","snapshot-ids":[8349964745853934338,7]}',
      '{"action":"remove-snapshot-ref","ref-name":"b"}',
      '{"action":"set-location","location":"s3://b"}',
      '{"action":"set-properties","updates":{"a":"b"}}',
      '{"action":"remove-properties","removals":["a"]}',
      '{"action":"set-statistics","snapshot-id":7,"statistics":{"snapshot-id":7,"statistics-path":"s3://p"}}',
      '{"action":"remove-statistics","snapshot-id":7}',
      '{"action":"set-partition-statistics","partition-statistics":{"snapshot-id":7,"statistics-path":"s3://p"}}',
      '{"action":"remove-partition-statistics","snapshot-id":7}',
    ].join() +
    ']}';
  assert.equal(printJson(commitJson(readCommit(parseJson(golden, 'x'), 'x'))), golden);
  assert.throws(
    () => readCommit(parseJson('{"requirements":[],"updates":[{"action":"explode"}]}', 'x'), 'commit'),
    /commit\.updates\[0\]: unknown action "explode"/,
  );
  assert.throws(
    () => readCommit(parseJson('{"requirements":[{"type":"toString"}],"updates":[]}', 'x'), 'commit'),
    /unknown requirement/,
  );
});
