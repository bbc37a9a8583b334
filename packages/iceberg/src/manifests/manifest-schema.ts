/**
 * The Avro schemas of manifests and manifest lists, format version 2. The ids are those of the spec, and readers go by
 * them; the names are those of Apache Iceberg.
 */
import type { Json } from '../json/exact-json.ts';
import type { PartitionColumn } from '../partitions/partition-spec.ts';
import type { PrimitiveType } from '../schema/types.ts';
import { decimalBytes } from '../values/binary-value.ts';

/** Ids of fields by what they are. */
export const entryIds = {
  status: 0,
  snapshotId: 1,
  file: 2,
  sequenceNumber: 3,
  fileSequenceNumber: 4,
} as const;

export const fileIds = {
  content: 134,
  path: 100,
  format: 101,
  partition: 102,
  recordCount: 103,
  fileBytes: 104,
  columnSizes: 108,
  valueCounts: 109,
  nullCounts: 110,
  nanCounts: 137,
  lowerBounds: 125,
  upperBounds: 128,
  keyMetadata: 131,
  splitOffsets: 132,
  equalityIds: 135,
  sortOrderId: 140,
  referencedDataFile: 143,
} as const;

/** Maps by ids of columns: the ids of the map's key and value. */
export const mapIds = {
  columnSizes: [117, 118],
  valueCounts: [119, 120],
  nullCounts: [121, 122],
  nanCounts: [138, 139],
  lowerBounds: [126, 127],
  upperBounds: [129, 130],
} as const;

export const manifestIds = {
  path: 500,
  bytes: 501,
  specId: 502,
  content: 517,
  sequenceNumber: 515,
  minSequenceNumber: 516,
  addedSnapshotId: 503,
  addedFiles: 504,
  existingFiles: 505,
  deletedFiles: 506,
  addedRows: 512,
  existingRows: 513,
  deletedRows: 514,
  partitions: 507,
  keyMetadata: 519,
} as const;

export const summaryIds = { containsNull: 509, containsNan: 518, lower: 510, upper: 511 } as const;

function required(id: number, name: string, type: Json): Json {
  return { name, type, 'field-id': id };
}

function optional(id: number, name: string, type: Json): Json {
  return { name, type: ['null', type], default: null, 'field-id': id };
}

/** A map with int keys, which Avro does not have: a list of pairs. */
function idMap(id: number, name: string, [keyId, valueId]: readonly [number, number], value: string): Json {
  return optional(id, name, {
    type: 'array',
    items: {
      type: 'record',
      name: `k${keyId}_v${valueId}`,
      fields: [required(keyId, 'key', 'int'), required(valueId, 'value', value)],
    },
    logicalType: 'map',
  });
}

function listOf(id: number, name: string, elementId: number, items: Json): Json {
  return optional(id, name, { type: 'array', items, 'element-id': elementId });
}

/** The schema of entries; the type of `partition` depends on the spec. */
export function entrySchema(columns: readonly PartitionColumn[]): Json {
  const file = {
    type: 'record',
    name: 'r2',
    fields: [
      required(fileIds.content, 'content', 'int'),
      required(fileIds.path, 'file_path', 'string'),
      required(fileIds.format, 'file_format', 'string'),
      required(fileIds.partition, 'partition', {
        type: 'record',
        name: 'r102',
        fields: columns.map(partitionField),
      }),
      required(fileIds.recordCount, 'record_count', 'long'),
      required(fileIds.fileBytes, 'file_size_in_bytes', 'long'),
      idMap(fileIds.columnSizes, 'column_sizes', mapIds.columnSizes, 'long'),
      idMap(fileIds.valueCounts, 'value_counts', mapIds.valueCounts, 'long'),
      idMap(fileIds.nullCounts, 'null_value_counts', mapIds.nullCounts, 'long'),
      idMap(fileIds.nanCounts, 'nan_value_counts', mapIds.nanCounts, 'long'),
      idMap(fileIds.lowerBounds, 'lower_bounds', mapIds.lowerBounds, 'bytes'),
      idMap(fileIds.upperBounds, 'upper_bounds', mapIds.upperBounds, 'bytes'),
      optional(fileIds.keyMetadata, 'key_metadata', 'bytes'),
      listOf(fileIds.splitOffsets, 'split_offsets', 133, 'long'),
      listOf(fileIds.equalityIds, 'equality_ids', 136, 'int'),
      optional(fileIds.sortOrderId, 'sort_order_id', 'int'),
      optional(fileIds.referencedDataFile, 'referenced_data_file', 'string'),
    ],
  };
  return {
    type: 'record',
    name: 'manifest_entry',
    fields: [
      required(entryIds.status, 'status', 'int'),
      optional(entryIds.snapshotId, 'snapshot_id', 'long'),
      optional(entryIds.sequenceNumber, 'sequence_number', 'long'),
      optional(entryIds.fileSequenceNumber, 'file_sequence_number', 'long'),
      required(entryIds.file, 'data_file', file),
    ],
  };
}

function partitionField(column: PartitionColumn): Json {
  const name = avroName(column.name);
  return {
    ...(optional(column.id, name, avroType(column.type, column.id)) as object),
    ...(name !== column.name && { 'iceberg-field-name': column.name }),
  };
}

/** Names in Avro have letters, digits and underscores; other characters are written as Apache Iceberg does. */
export function avroName(name: string): string {
  return Array.from(name, (character, at) => {
    if (/[A-Za-z_]/.test(character)) return character;
    if (/[0-9]/.test(character)) return at === 0 ? `_${character}` : character;
    return `_x${character.codePointAt(0)!.toString(16).toUpperCase()}`;
  }).join('');
}

/** Names of fixed types must differ within a schema, so that they have the id of their field. */
function avroType(type: PrimitiveType, id: number): Json {
  switch (type.kind) {
    case 'date':
      return { type: 'int', logicalType: 'date' };
    case 'time':
      return { type: 'long', logicalType: 'time-micros' };
    case 'timestamp':
      return { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': false };
    case 'timestamptz':
      return { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': true };
    case 'uuid':
      return { type: 'fixed', name: `uuid_fixed_${id}`, size: 16, logicalType: 'uuid' };
    case 'fixed':
      return { type: 'fixed', name: `fixed_${type.bytes}_${id}`, size: type.bytes };
    case 'decimal':
      return {
        type: 'fixed',
        name: `decimal_${type.precision}_${type.scale}_${id}`,
        size: decimalBytes(type.precision),
        logicalType: 'decimal',
        precision: type.precision,
        scale: type.scale,
      };
    case 'binary':
      return 'bytes';
    default:
      return type.kind;
  }
}

/** The schema of manifest lists. */
export const manifestListSchema: Json = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    required(manifestIds.path, 'manifest_path', 'string'),
    required(manifestIds.bytes, 'manifest_length', 'long'),
    required(manifestIds.specId, 'partition_spec_id', 'int'),
    required(manifestIds.content, 'content', 'int'),
    required(manifestIds.sequenceNumber, 'sequence_number', 'long'),
    required(manifestIds.minSequenceNumber, 'min_sequence_number', 'long'),
    required(manifestIds.addedSnapshotId, 'added_snapshot_id', 'long'),
    required(manifestIds.addedFiles, 'added_files_count', 'int'),
    required(manifestIds.existingFiles, 'existing_files_count', 'int'),
    required(manifestIds.deletedFiles, 'deleted_files_count', 'int'),
    required(manifestIds.addedRows, 'added_rows_count', 'long'),
    required(manifestIds.existingRows, 'existing_rows_count', 'long'),
    required(manifestIds.deletedRows, 'deleted_rows_count', 'long'),
    listOf(manifestIds.partitions, 'partitions', 508, {
      type: 'record',
      name: 'r508',
      fields: [
        required(summaryIds.containsNull, 'contains_null', 'boolean'),
        optional(summaryIds.containsNan, 'contains_nan', 'boolean'),
        optional(summaryIds.lower, 'lower_bound', 'bytes'),
        optional(summaryIds.upper, 'upper_bound', 'bytes'),
      ],
    }),
    optional(manifestIds.keyMetadata, 'key_metadata', 'bytes'),
  ],
};
