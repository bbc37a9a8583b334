import { KiB, MiB } from '@weir/core';

/** Limits of Iceberg tables. Other programs write them too, so that every file may be hostile. */
export const icebergLimits = {
  /** Columns of one schema, nested ones included, and how deeply they are nested. */
  tableColumnsMax: 10_000,
  tableTypeDepthMax: 64,

  /** The highest id of a column; the format keeps those above for itself. */
  tableColumnIdMax: 2_147_483_447,

  /** Columns of one partition spec or sort order. */
  tableSpecFieldsMax: 100,

  /** Buckets or width of a transform. */
  transformWidthMax: 2_147_483_647,

  /** The text of table metadata, its values, and how deeply they are nested. */
  tableMetadataBytesMax: 256 * MiB,
  tableMetadataValuesMax: 10_000_000,
  tableMetadataDepthMax: 256,

  /** A manifest or manifest list as it is stored, and one block of it inflated. */
  manifestFileBytesMax: 256 * MiB,
  manifestBlockBytesMax: 256 * MiB,

  /** Entries of a block that is written; the encoder also ends one at this size. */
  manifestBlockEntries: 1000,
  manifestBlockBytes: 64 * KiB,

  /** Files of a table that are younger are never taken for orphans: an hour. */
  tableOrphanAgeMsMin: 3_600_000,

  /** Missing files of a table that are looked for one by one; more are not counted. */
  missingFilesMax: 1000,

  /** How deeply the Avro schema of a manifest is nested. */
  manifestSchemaDepthMax: 64,
} as const;
