import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { dataFile } from '../../testing/files.ts';
import { column, list, schemaOf } from '../../testing/schemas.ts';
import { primitiveTexts, primitiveTypes, valueOfType } from '../../testing/values.ts';
import { readContainer } from '../avro/container.ts';
import { parseJson } from '../json/exact-json.ts';
import { newSpec, partitionColumns, unpartitioned } from '../partitions/partition-spec.ts';
import type { Value } from '../values/value.ts';
import type { DataFile, ManifestEntry } from './data-file.ts';
import { describeFile, type WrittenColumn } from './describe-file.ts';
import { readManifest, writeManifest } from './manifest.ts';
import { type ManifestFile, readManifestList, writeManifestList } from './manifest-list.ts';
import { avroName } from './manifest-schema.ts';

const random = seededRandom(3);
/** A table with a column of each primitive type, partitioned by all of them. */
const schema = schemaOf(...primitiveTexts.map((text, at) => column(at + 1, `c ${text}`, text)));
const spec = newSpec(
  schema,
  primitiveTexts.map((text, at) => ({
    path: [`c ${text}`],
    name: `${at} ${text}`,
    transform: { kind: 'identity' as const },
  })),
);
const columns = partitionColumns(spec, [schema]);

const row = (parts: Partial<ManifestFile> = {}): ManifestFile => ({
  path: 's3://b/m.avro',
  bytes: 1n,
  specId: 0,
  content: 'data',
  sequenceNumber: 7n,
  minSequenceNumber: 7n,
  addedSnapshotId: 8349964745853934338n,
  addedFiles: 1,
  existingFiles: 0,
  deletedFiles: 0,
  addedRows: 1n,
  existingRows: 0n,
  deletedRows: 0n,
  partitions: undefined,
  keyMetadata: undefined,
  ...parts,
});

test('entries are read as they were written, with partitions of every type', () => {
  const partition = fc.tuple(...primitiveTypes.map((type) => fc.option(valueOfType(type), { freq: 4 })));
  fc.assert(
    fc.property(partition, (values) => {
      const file: DataFile = dataFile('s3://b/a.parquet', {
        partition: values as (Value | null)[],
        recordCount: 2n ** 62n,
        columns: new Map([
          [1, { bytes: 5n, valueCount: 4n, nullCount: 1n, lower: Buffer.from([0]), upper: Buffer.from([1]) }],
          [4, { nanCount: 2n }],
        ]),
        splitOffsets: [4n, 2n ** 40n],
        sortOrderId: 1,
      });
      const entries: ManifestEntry[] = [
        { status: 'added', snapshotId: 8349964745853934338n, file },
        { status: 'existing', snapshotId: 5n, sequenceNumber: 3n, fileSequenceNumber: 4n, file },
        { status: 'deleted', snapshotId: 6n, sequenceNumber: 2n, fileSequenceNumber: 2n, file },
      ];
      const { content, counts } = writeManifest(entries, {
        content: 'data',
        spec,
        schemas: [schema],
        random,
      });
      const read = readManifest(content, row(), columns);
      // Files that are being added inherit the numbers of the manifest.
      assert.deepEqual(
        read.map(({ status, snapshotId, sequenceNumber, fileSequenceNumber }) => [
          status,
          snapshotId,
          sequenceNumber,
          fileSequenceNumber,
        ]),
        [
          ['added', 8349964745853934338n, 7n, 7n],
          ['existing', 5n, 3n, 4n],
          ['deleted', 6n, 2n, 2n],
        ],
      );
      for (const { file: found } of read) {
        assert.deepEqual(found.partition.map(plain), file.partition.map(plain));
        assert.deepEqual(
          [found.path, found.recordCount, found.splitOffsets, found.sortOrderId],
          [file.path, file.recordCount, file.splitOffsets, 1],
        );
        assert.deepEqual(
          [...found.columns].map(([id, metrics]) => [id, Object.entries(metrics)]).sort(),
          [...file.columns].map(([id, metrics]) => [id, Object.entries(metrics)]).sort(),
        );
      }
      assert.deepEqual(
        [counts.addedFiles, counts.existingFiles, counts.deletedFiles, counts.leastSequenceNumber],
        [1, 1, 1, 3n],
      );
    }),
    { numRuns: 40 },
  );
});

const plain = (value: Value | null) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : Object.is(value, -0) ? '-0' : value;

/** Paths of all ids in an Avro schema: the table of the spec. */
function idsIn(json: unknown, path = ''): string[] {
  if (Array.isArray(json)) return json.flatMap((one) => idsIn(one, path));
  if (typeof json !== 'object' || json === null) return [];
  const { type, fields, items, name, ...rest } = json as Record<string, unknown>;
  const here = rest['field-id'] !== undefined ? `${path}${path === '' ? '' : '.'}${name}` : path;
  const own =
    rest['field-id'] !== undefined ? [`${rest['field-id']} ${here}${Array.isArray(type) ? '?' : ''}`] : [];
  const element = rest['element-id'] !== undefined ? [`${rest['element-id']} ${here}[]`] : [];
  return [...own, ...element, ...idsIn(type, here), ...idsIn(fields, here), ...idsIn(items, here)];
}

test('the ids of manifests and lists are those of the spec', () => {
  const small = schemaOf(column(1, 'ts', 'timestamptz'));
  const byDay = newSpec(small, [{ path: ['ts'], transform: { kind: 'day' } }]);
  const { content } = writeManifest([], { content: 'data', spec: byDay, schemas: [small], random });
  const { metadata } = readContainer(content, 'x');
  assert.deepEqual(idsIn(parseJson(metadata.get('avro.schema')!, 'x')), [
    '0 status',
    '1 snapshot_id?',
    '3 sequence_number?',
    '4 file_sequence_number?',
    '2 data_file',
    '134 data_file.content',
    '100 data_file.file_path',
    '101 data_file.file_format',
    '102 data_file.partition',
    '1000 data_file.partition.ts_day?',
    '103 data_file.record_count',
    '104 data_file.file_size_in_bytes',
    '108 data_file.column_sizes?',
    '117 data_file.column_sizes.key',
    '118 data_file.column_sizes.value',
    '109 data_file.value_counts?',
    '119 data_file.value_counts.key',
    '120 data_file.value_counts.value',
    '110 data_file.null_value_counts?',
    '121 data_file.null_value_counts.key',
    '122 data_file.null_value_counts.value',
    '137 data_file.nan_value_counts?',
    '138 data_file.nan_value_counts.key',
    '139 data_file.nan_value_counts.value',
    '125 data_file.lower_bounds?',
    '126 data_file.lower_bounds.key',
    '127 data_file.lower_bounds.value',
    '128 data_file.upper_bounds?',
    '129 data_file.upper_bounds.key',
    '130 data_file.upper_bounds.value',
    '131 data_file.key_metadata?',
    '132 data_file.split_offsets?',
    '133 data_file.split_offsets[]',
    '135 data_file.equality_ids?',
    '136 data_file.equality_ids[]',
    '140 data_file.sort_order_id?',
    '143 data_file.referenced_data_file?',
  ]);
  const { 'avro.schema': _schema, ...others } = Object.fromEntries(metadata);
  assert.deepEqual(others, {
    schema:
      '{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"ts","required":false,"type":"timestamptz"}]}',
    'schema-id': '0',
    'partition-spec': '[{"source-id":1,"field-id":1000,"name":"ts_day","transform":"day"}]',
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
    'avro.codec': 'deflate',
  });
  const listed = writeManifestList([], {
    snapshotId: 2n ** 62n,
    parentSnapshotId: undefined,
    sequenceNumber: 3n,
    random,
  });
  const { 'avro.schema': listSchema, ...listMetadata } = Object.fromEntries(
    readContainer(listed, 'x').metadata,
  );
  assert.deepEqual(idsIn(parseJson(listSchema!, 'x')), [
    '500 manifest_path',
    '501 manifest_length',
    '502 partition_spec_id',
    '517 content',
    '515 sequence_number',
    '516 min_sequence_number',
    '503 added_snapshot_id',
    '504 added_files_count',
    '505 existing_files_count',
    '506 deleted_files_count',
    '512 added_rows_count',
    '513 existing_rows_count',
    '514 deleted_rows_count',
    '507 partitions?',
    '508 partitions[]',
    '509 partitions.contains_null',
    '518 partitions.contains_nan?',
    '510 partitions.lower_bound?',
    '511 partitions.upper_bound?',
    '519 key_metadata?',
  ]);
  assert.deepEqual(listMetadata, {
    'snapshot-id': '4611686018427387904',
    'parent-snapshot-id': 'null',
    'sequence-number': '3',
    'format-version': '2',
    'avro.codec': 'deflate',
  });
});

test('manifest lists are read as they were written', () => {
  const rows = [
    row({
      partitions: [{ containsNull: true, containsNan: undefined, lower: Buffer.from([1]), upper: undefined }],
    }),
    row({ path: 's3://b/d.avro', content: 'deletes', addedRows: 2n ** 60n, keyMetadata: Buffer.from('key') }),
  ];
  const options = { snapshotId: 9n, parentSnapshotId: 8n, sequenceNumber: 7n, random };
  assert.deepEqual(readManifestList(writeManifestList(rows, options), 'x'), rows);
});

test('delete files are read, and stay apart from data files', () => {
  const deletes = dataFile('s3://b/d.parquet', { content: 'equality-deletes', equalityIds: [1, 2] });
  const position = dataFile('s3://b/p.parquet', {
    content: 'position-deletes',
    referencedDataFile: 's3://b/a.parquet',
  });
  const options = { content: 'deletes' as const, spec: unpartitioned, schemas: [schema] as const, random };
  const entries = [deletes, position].map(
    (file): ManifestEntry => ({ status: 'added', snapshotId: 1n, file }),
  );
  const read = readManifest(
    writeManifest(entries, { ...options, schemas: [schema] }).content,
    row({ content: 'deletes' }),
    [],
  );
  assert.deepEqual(
    read.map(({ file }) => [file.content, file.equalityIds, file.referencedDataFile]),
    [
      ['equality-deletes', [1, 2], undefined],
      ['position-deletes', undefined, 's3://b/a.parquet'],
    ],
  );
  assert.throws(
    () => writeManifest(entries, { ...options, schemas: [schema], content: 'data' }),
    /either data files or delete files/,
  );
  assert.throws(() => writeManifest(entries, { ...options, schemas: [schema], spec }), /of another spec/);
});

test('a widened column reads the partitions of before', () => {
  const narrow = schemaOf(column(1, 'n', 'int'));
  const wide = schemaOf(column(1, 'n', 'long'));
  const byN = newSpec(narrow, [{ path: ['n'], transform: { kind: 'identity' } }]);
  const file = dataFile('s3://b/a.parquet', { partition: [5] });
  const { content } = writeManifest([{ status: 'added', snapshotId: 1n, file }], {
    content: 'data',
    spec: byN,
    schemas: [narrow],
    random,
  });
  assert.deepEqual(readManifest(content, row(), partitionColumns(byN, [wide]))[0]!.file.partition, [5n]);
});

test('names of partition fields are made valid for Avro', () => {
  // name, Avro name
  for (const [name, avro] of [
    ['ts_day', 'ts_day'],
    ['1a', '_1a'],
    ['a b', 'a_x20b'],
    ['user.name', 'user_x2Ename'],
    ['é', '_xE9'],
  ])
    assert.equal(avroName(name!), avro);
});

test('files are described by what their writer knows, and by the metrics modes of the table', () => {
  const table = schemaOf(
    column(1, 's', 'string'),
    column(2, 'd', 'double'),
    column(3, 'l', list(4, 'int')),
    column(5, 'n', 'int'),
  );
  const describe = (id: number, known: WrittenColumn, properties = {}) =>
    describeFile(
      {
        path: 'a',
        format: 'PARQUET',
        partition: [],
        recordCount: 2,
        fileBytes: 10,
        columns: new Map([[id, known]]),
      },
      { schema: table, spec: unpartitioned, properties },
    ).columns.get(id);
  const counts = { bytes: undefined, valueCount: 2n, nullCount: 0n, nanCount: undefined };
  const text = (value: string) => Buffer.from(value);
  const long = { valueCount: 2, nullCount: 0, least: 'a'.repeat(20), greatest: 'b'.repeat(20) };
  // column, what is known, properties, metrics
  const cases: [number, WrittenColumn, Record<string, string>, unknown][] = [
    [1, long, {}, { ...counts, lower: text('a'.repeat(16)), upper: text(`${'b'.repeat(15)}c`) }],
    [
      1,
      long,
      { 'write.metadata.metrics.default': 'full' },
      { ...counts, lower: text(long.least), upper: text(long.greatest) },
    ],
    [1, long, { 'write.metadata.metrics.default': 'counts' }, counts],
    [1, long, { 'write.metadata.metrics.column.s': 'none' }, undefined],
    [
      1,
      long,
      { 'write.metadata.metrics.default': 'none', 'write.metadata.metrics.column.s': 'truncate(2)' },
      { ...counts, lower: text('aa'), upper: text('bc') },
    ],
    [
      2,
      { least: Number.NaN, greatest: 0 },
      {},
      {
        bytes: undefined,
        valueCount: undefined,
        nullCount: undefined,
        nanCount: undefined,
        lower: undefined,
        upper: Buffer.alloc(8),
      },
    ],
    [4, { valueCount: 2, nullCount: 0, least: 1, greatest: 2 }, {}, counts],
  ];
  for (const [id, known, properties, metrics] of cases)
    assert.deepEqual(describe(id, known, properties), metrics);
  assert.throws(() => describe(5, { least: 5n }), /a bound of n is no int/);
  assert.throws(() => describe(9, {}), /no column with the id 9/);
});
