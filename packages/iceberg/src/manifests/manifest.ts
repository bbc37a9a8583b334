/**
 * Manifests: lists of data files or of delete files, each with its partition and metrics. A manifest is immutable, and
 * has files of one partition spec.
 */
import type { Random } from '@weir/core';
import type { AvroRecord, AvroValue } from '../avro/avro-type.ts';
import { readContainer, writeContainer } from '../avro/container.ts';
import { printJson } from '../json/exact-json.ts';
import {
  type PartitionColumn,
  type PartitionSpec,
  partitionColumns,
  specFieldsJson,
} from '../partitions/partition-spec.ts';
import { summaryOf } from '../pruning/known-ranges.ts';
import type { Schema } from '../schema/schema.ts';
import { schemaJson } from '../schema/schema-json.ts';
import type { PrimitiveType } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { decimalBytes, unscaledFixed, unscaledOf, uuidText } from '../values/binary-value.ts';
import type { Value } from '../values/value.ts';
import {
  type ColumnMetrics,
  type DataFile,
  entryStatuses,
  type FileContent,
  fileContents,
  type LiveEntry,
  type ManifestEntry,
} from './data-file.ts';
import type { ManifestFile } from './manifest-list.ts';
import { entryIds, entrySchema, fileIds, mapIds } from './manifest-schema.ts';

interface ManifestOptions {
  readonly content: 'data' | 'deletes';
  readonly spec: PartitionSpec;
  /** The current schema first; older ones for columns of old specs. */
  readonly schemas: readonly [Schema, ...Schema[]];
  readonly random: Random;
}

/** What a manifest list says of a manifest, without what depends on the commit. */
type ManifestCounts = Omit<
  ManifestFile,
  'path' | 'bytes' | 'sequenceNumber' | 'minSequenceNumber' | 'addedSnapshotId'
> & {
  /** The least sequence number of live files that have one; `undefined` if none has. */
  readonly leastSequenceNumber: bigint | undefined;
};

interface WrittenManifest {
  readonly content: Buffer;
  readonly counts: ManifestCounts;
}

export function writeManifest(entries: readonly ManifestEntry[], options: ManifestOptions): WrittenManifest {
  const { content, spec, schemas, random } = options;
  const columns = partitionColumns(spec, schemas);
  for (const { file } of entries) {
    if (file.specId !== spec.id || file.partition.length !== columns.length)
      throw new InvalidTable(`${file.path}: its partition is of another spec than that of the manifest`);
    if ((file.content === 'data') !== (content === 'data'))
      throw new InvalidTable(`${file.path}: a manifest has either data files or delete files`);
  }
  const written = writeContainer(
    entries.values().map((entry) => entryRecord(entry, columns)),
    {
      schema: printJson(entrySchema(columns)),
      metadata: {
        schema: printJson(schemaJson(schemas[0])),
        'schema-id': String(schemas[0].id),
        'partition-spec': printJson(specFieldsJson(spec)),
        'partition-spec-id': String(spec.id),
        'format-version': '2',
        content,
      },
      random,
    },
  );
  return { content: written, counts: countsOf(entries, content, spec, columns) };
}

function countsOf(
  entries: readonly ManifestEntry[],
  content: 'data' | 'deletes',
  spec: PartitionSpec,
  columns: readonly PartitionColumn[],
): ManifestCounts {
  const counts = { existing: 0, added: 0, deleted: 0 };
  const rows = { existing: 0n, added: 0n, deleted: 0n };
  let leastSequenceNumber: bigint | undefined;
  for (const { status, sequenceNumber, file } of entries) {
    counts[status]++;
    rows[status] += file.recordCount;
    if (status === 'deleted' || sequenceNumber === undefined) continue;
    if (leastSequenceNumber === undefined || sequenceNumber < leastSequenceNumber)
      leastSequenceNumber = sequenceNumber;
  }
  return {
    specId: spec.id,
    content,
    addedFiles: counts.added,
    existingFiles: counts.existing,
    deletedFiles: counts.deleted,
    addedRows: rows.added,
    existingRows: rows.existing,
    deletedRows: rows.deleted,
    partitions: columns.map(({ type }, at) =>
      summaryOf(
        type,
        entries.values().map(({ file }) => file.partition[at] ?? null),
      ),
    ),
    leastSequenceNumber,
  };
}

/** Reads the entries of a manifest, with what they inherit from their row in the manifest list. */
export function readManifest(
  bytes: Buffer,
  manifest: ManifestFile,
  columns: readonly PartitionColumn[],
): LiveEntry[] {
  const { records } = readContainer(bytes, manifest.path);
  return records.map((record) => readEntry(record, manifest, columns));
}

function readEntry(
  record: AvroRecord,
  manifest: ManifestFile,
  columns: readonly PartitionColumn[],
): LiveEntry {
  const status = entryStatuses[record.get(entryIds.status) as number];
  const file = record.get(entryIds.file) as AvroRecord | undefined;
  if (status === undefined || !(file instanceof Map))
    throw new InvalidTable(`${manifest.path}: an entry has no status or file`);
  // Only files that are being added may lack them. In format version 1 there are none, and all are 0.
  const inherited = status === 'added' ? manifest.sequenceNumber : 0n;
  return {
    status,
    snapshotId: (record.get(entryIds.snapshotId) as bigint | null | undefined) ?? manifest.addedSnapshotId,
    sequenceNumber: (record.get(entryIds.sequenceNumber) as bigint | null | undefined) ?? inherited,
    fileSequenceNumber: (record.get(entryIds.fileSequenceNumber) as bigint | null | undefined) ?? inherited,
    file: readFile(file, manifest, columns),
  };
}

function entryRecord(entry: ManifestEntry, columns: readonly PartitionColumn[]): AvroRecord {
  return new Map<number, AvroValue>([
    [entryIds.status, entryStatuses.indexOf(entry.status)],
    [entryIds.snapshotId, entry.snapshotId],
    [entryIds.sequenceNumber, entry.sequenceNumber ?? null],
    [entryIds.fileSequenceNumber, entry.fileSequenceNumber ?? null],
    [entryIds.file, fileRecord(entry.file, columns)],
  ]);
}

type MetricKey = keyof ColumnMetrics;
const metricMaps: readonly (readonly [keyof typeof mapIds, MetricKey])[] = [
  ['columnSizes', 'bytes'],
  ['valueCounts', 'valueCount'],
  ['nullCounts', 'nullCount'],
  ['nanCounts', 'nanCount'],
  ['lowerBounds', 'lower'],
  ['upperBounds', 'upper'],
];

function fileRecord(file: DataFile, columns: readonly PartitionColumn[]): AvroRecord {
  const partition = columns.map(({ id, type }, at): [number, AvroValue] => [
    id,
    partitionAvro(type, file.partition[at] ?? null),
  ]);
  return new Map<number, AvroValue>([
    [fileIds.content, fileContents.indexOf(file.content)],
    [fileIds.path, file.path],
    [fileIds.format, file.format],
    [fileIds.partition, new Map(partition)],
    [fileIds.recordCount, file.recordCount],
    [fileIds.fileBytes, file.fileBytes],
    ...metricMaps.map(([map, metric]): [number, AvroValue] => [fileIds[map], metricAvro(file, map, metric)]),
    [fileIds.keyMetadata, file.keyMetadata ?? null],
    [fileIds.splitOffsets, file.splitOffsets ?? null],
    [fileIds.equalityIds, file.equalityIds ?? null],
    [fileIds.sortOrderId, file.sortOrderId ?? null],
    [fileIds.referencedDataFile, file.referencedDataFile ?? null],
  ]);
}

/** One metric of all columns; null if no column has it. */
function metricAvro(file: DataFile, map: keyof typeof mapIds, metric: MetricKey): AvroValue {
  const [keyId, valueId] = mapIds[map];
  const pairs: AvroRecord[] = [];
  for (const [id, metrics] of file.columns) {
    const value = metrics[metric];
    if (value !== undefined)
      pairs.push(
        new Map<number, AvroValue>([
          [keyId, id],
          [valueId, value],
        ]),
      );
  }
  return pairs.length === 0 ? null : pairs;
}

function readFile(record: AvroRecord, manifest: ManifestFile, columns: readonly PartitionColumn[]): DataFile {
  const required = <Kind extends AvroValue>(id: number, isKind: (value: AvroValue) => boolean): Kind => {
    const value = record.get(id) ?? null;
    if (!isKind(value)) throw new InvalidTable(`${manifest.path}: a file lacks the field ${id}`);
    return value as Kind;
  };
  const optional = <Kind>(id: number): Kind | undefined => (record.get(id) ?? undefined) as Kind | undefined;
  const partition = record.get(fileIds.partition);
  if (!(partition instanceof Map)) throw new InvalidTable(`${manifest.path}: a file has no partition`);
  const content: FileContent = fileContents[optional<number>(fileIds.content) ?? 0] ?? 'data';
  const byId = new Map<number, Record<string, bigint | Uint8Array>>();
  for (const [map, metric] of metricMaps) {
    const [keyId, valueId] = mapIds[map];
    for (const pair of optional<readonly AvroRecord[]>(fileIds[map]) ?? []) {
      const id = pair.get(keyId) as number;
      const metrics = byId.get(id) ?? {};
      metrics[metric] = pair.get(valueId) as bigint | Uint8Array;
      byId.set(id, metrics);
    }
  }
  return {
    content,
    path: required<string>(fileIds.path, (value) => typeof value === 'string'),
    format: required<string>(fileIds.format, (value) => typeof value === 'string'),
    specId: manifest.specId,
    partition: columns.map(({ id, type }) => partitionValue(type, partition.get(id) ?? null)),
    recordCount: required<bigint>(fileIds.recordCount, (value) => typeof value === 'bigint'),
    fileBytes: required<bigint>(fileIds.fileBytes, (value) => typeof value === 'bigint'),
    columns: byId,
    splitOffsets: optional(fileIds.splitOffsets),
    sortOrderId: optional(fileIds.sortOrderId),
    equalityIds: optional(fileIds.equalityIds),
    referencedDataFile: optional(fileIds.referencedDataFile),
    keyMetadata: optional(fileIds.keyMetadata),
  };
}

function partitionAvro(type: PrimitiveType, value: Value | null): AvroValue {
  if (value === null) return null;
  if (type.kind === 'decimal') return unscaledFixed(value as bigint, decimalBytes(type.precision));
  if (type.kind === 'uuid') return Buffer.from((value as string).replaceAll('-', ''), 'hex');
  return value;
}

/** The value as the type has it: files from before a column was widened have an int where it is long now. */
function partitionValue(type: PrimitiveType, value: AvroValue): Value | null {
  if (value === null) return null;
  if (type.kind === 'decimal') return unscaledOf(Buffer.from(value as Uint8Array));
  if (type.kind === 'uuid')
    return typeof value === 'string' ? value.toLowerCase() : uuidText(Buffer.from(value as Uint8Array));
  if (type.kind === 'long' && typeof value === 'number') return BigInt(value);
  return value as Value;
}
