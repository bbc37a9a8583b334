import { type Json, type JsonObject, parseJson, printJson } from '../json/exact-json.ts';
import { ObjectReader } from '../json/json-reader.ts';
import { icebergLimits } from '../limits.ts';
import {
  type PartitionSpec,
  partitionIdBase,
  readSpec,
  readSpecFields,
  specFieldsJson,
  specJson,
} from '../partitions/partition-spec.ts';
import { readSortOrder, sortOrderJson, unsorted } from '../partitions/sort-order.ts';
import { readSchema, schemaJson } from '../schema/schema-json.ts';
import { InvalidTable } from '../table-errors.ts';
import { mainBranch, readRef, readSnapshot, refJson, type SnapshotRef, snapshotJson } from './snapshot.ts';
import { currentSchema, defaultSpec, type Statistics, type TableMetadata } from './table-metadata.ts';

/** Parses a metadata file; `name` is its path, for errors. */
export function parseMetadata(bytes: Buffer, name: string): TableMetadata {
  if (bytes.length > icebergLimits.tableMetadataBytesMax)
    throw new InvalidTable(`${name}: larger than ${icebergLimits.tableMetadataBytesMax} bytes`);
  return readMetadata(parseJson(bytes.toString('utf8'), name), name);
}

export function readMetadata(json: Json, name: string): TableMetadata {
  const reader = new ObjectReader(json, name);
  const formatVersion = reader.integer('format-version');
  if (formatVersion !== 1 && formatVersion !== 2)
    throw new InvalidTable(`${name}: format version ${formatVersion} is not supported; Weir reads 1 and 2`);
  const isFirst = formatVersion === 1;
  const schemas =
    reader.has('schemas') || !isFirst
      ? reader.list('schemas', readSchema)
      : [readSchema(reader.raw('schema'), `${name}.schema`)];
  const specs: PartitionSpec[] =
    reader.has('partition-specs') || !isFirst
      ? reader.list('partition-specs', readSpec)
      : [{ id: 0, fields: readSpecFields(reader.raw('partition-spec'), `${name}.partition-spec`) }];
  const partitionIds = specs.flatMap(({ fields }) => fields.map(({ id }) => id));
  const snapshots = reader.listIfAny('snapshots', readSnapshot) ?? [];
  const metadata: TableMetadata = {
    formatVersion,
    uuid: isFirst ? (reader.textIfAny('table-uuid') ?? '') : reader.text('table-uuid'),
    location: reader.text('location').replace(/\/+$/, ''),
    lastSequenceNumber: isFirst ? 0n : reader.long('last-sequence-number'),
    lastUpdatedMs: reader.integer('last-updated-ms'),
    lastColumnId: reader.integer('last-column-id'),
    schemas,
    currentSchemaId: isFirst
      ? (reader.integerIfAny('current-schema-id') ?? schemas[0]?.id ?? 0)
      : reader.integer('current-schema-id'),
    specs,
    defaultSpecId: isFirst
      ? (reader.integerIfAny('default-spec-id') ?? specs[0]?.id ?? 0)
      : reader.integer('default-spec-id'),
    lastPartitionId: isFirst
      ? (reader.integerIfAny('last-partition-id') ?? Math.max(partitionIdBase, ...partitionIds))
      : reader.integer('last-partition-id'),
    sortOrders: isFirst
      ? (reader.listIfAny('sort-orders', readSortOrder) ?? [unsorted])
      : reader.list('sort-orders', readSortOrder),
    defaultSortOrderId: isFirst
      ? (reader.integerIfAny('default-sort-order-id') ?? 0)
      : reader.integer('default-sort-order-id'),
    properties: reader.texts('properties'),
    snapshots,
    refs: refsOf(reader, new Set(snapshots.map(({ id }) => id))),
    snapshotLog:
      reader.listIfAny('snapshot-log', (item, place) => {
        const entry = new ObjectReader(item, place);
        return { timestampMs: entry.integer('timestamp-ms'), snapshotId: entry.long('snapshot-id') };
      }) ?? [],
    metadataLog:
      reader.listIfAny('metadata-log', (item, place) => {
        const entry = new ObjectReader(item, place);
        return { timestampMs: entry.integer('timestamp-ms'), path: entry.text('metadata-file') };
      }) ?? [],
    statistics: reader.listIfAny('statistics', readStatistics) ?? [],
    partitionStatistics: reader.listIfAny('partition-statistics', readStatistics) ?? [],
  };
  currentSchema(metadata);
  defaultSpec(metadata);
  return metadata;
}

/** `main` is where `current-snapshot-id` says; -1 and null say that there is no snapshot. */
function refsOf(reader: ObjectReader, snapshotIds: ReadonlySet<bigint>): Record<string, SnapshotRef> {
  const named = reader.objectIfAny('refs');
  const refs = Object.fromEntries(named?.keys().map((name) => [name, readRef(named.object(name))]) ?? []);
  const current = reader.longIfAny('current-snapshot-id');
  if (current !== undefined && current !== -1n)
    refs[mainBranch] = { ...(refs[mainBranch] ?? { type: 'branch' }), snapshotId: current };
  for (const [name, { snapshotId }] of Object.entries(refs))
    if (!snapshotIds.has(snapshotId))
      throw new InvalidTable(`${reader.place}: ${name} is the snapshot ${snapshotId}, which does not exist`);
  return refs;
}

export function readStatistics(json: Json | undefined, place: string): Statistics {
  return { snapshotId: new ObjectReader(json, place).long('snapshot-id'), json: json as JsonObject };
}

/** The content of a metadata file. */
export function printMetadata(metadata: TableMetadata): Buffer {
  return Buffer.from(printJson(metadataJson(metadata)));
}

export function metadataJson(metadata: TableMetadata): JsonObject {
  const isFirst = metadata.formatVersion === 1;
  const main = metadata.refs[mainBranch];
  return {
    'format-version': metadata.formatVersion,
    'table-uuid': metadata.uuid,
    location: metadata.location,
    ...(!isFirst && { 'last-sequence-number': metadata.lastSequenceNumber }),
    'last-updated-ms': metadata.lastUpdatedMs,
    'last-column-id': metadata.lastColumnId,
    // Readers of version 1 want both.
    ...(isFirst && {
      schema: schemaJson(currentSchema(metadata)),
      'partition-spec': specFieldsJson(defaultSpec(metadata)),
    }),
    'current-schema-id': metadata.currentSchemaId,
    schemas: metadata.schemas.map(schemaJson),
    'default-spec-id': metadata.defaultSpecId,
    'partition-specs': metadata.specs.map(specJson),
    'last-partition-id': metadata.lastPartitionId,
    'default-sort-order-id': metadata.defaultSortOrderId,
    'sort-orders': metadata.sortOrders.map(sortOrderJson),
    properties: metadata.properties,
    ...(main !== undefined && { 'current-snapshot-id': main.snapshotId }),
    refs: Object.fromEntries(Object.entries(metadata.refs).map(([name, ref]) => [name, refJson(ref)])),
    snapshots: metadata.snapshots.map(snapshotJson),
    'snapshot-log': metadata.snapshotLog.map(({ timestampMs, snapshotId }) => ({
      'timestamp-ms': timestampMs,
      'snapshot-id': snapshotId,
    })),
    'metadata-log': metadata.metadataLog.map(({ timestampMs, path }) => ({
      'timestamp-ms': timestampMs,
      'metadata-file': path,
    })),
    statistics: metadata.statistics.map(({ json }) => json),
    'partition-statistics': metadata.partitionStatistics.map(({ json }) => json),
  };
}
