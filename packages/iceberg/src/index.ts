/**
 * Apache Iceberg tables, without Parquet: this package knows what a table is and how it changes, and others write the
 * rows. Format version 2 is written, 1 and 2 are read.
 *
 * Read it in this order; each folder only imports those before it:
 *
 * 1. `json/`: exact 64-bit integers, and errors that name the place.
 * 2. `schema/`: types, schemas by ids, their evolution.
 * 3. `values/`: single values as bytes and JSON, their order, bounds, hashes.
 * 4. `partitions/`: transforms, partition specs, sort orders.
 * 5. `pruning/`: filters, and what bounds and partitions say about them.
 * 6. `avro/`, `manifests/`: lists of files, and lists of those lists. `describe-file.ts` is the port for writers of
 *    data files.
 * 7. `metadata/`: the root of a table. `updates.ts` is the one language of commits.
 * 8. `files/`: the port to files, and files in a bucket. `scan/`: the files that a reader needs.
 * 9. `catalogs/`: the port to catalogs, one in a bucket, servers of the REST protocol, and AWS Glue.
 * 10. `changes/`: append, compaction, evolution, expiry, orphans; `commit-change.ts` commits against other writers.
 */
export type { Catalog, LoadedTable, TableName } from './catalogs/catalog.ts';
export { GlueCatalog } from './catalogs/glue/glue-catalog.ts';
export { ObjectStoreCatalog } from './catalogs/object-store-catalog.ts';
export { RestCatalog } from './catalogs/rest/rest-catalog.ts';
export { commitChange } from './changes/commit-change.ts';
export { createTable } from './changes/create-table.ts';
export { Expiry, unreachableFiles } from './changes/expiry.ts';
export { FileChange, type FileChangeParts } from './changes/file-change.ts';
export { ManifestRewrite } from './changes/manifest-rewrite.ts';
export { PartitionEvolution, PropertyChange, SchemaEvolution } from './changes/metadata-changes.ts';
export { missingFiles, orphanFiles } from './changes/orphans.ts';
export type { TableChange } from './changes/table-change.ts';
export { commonUri } from './files/common-uri.ts';
export type { DataFiles } from './files/data-files.ts';
export { storeDataFiles, storeFiles } from './files/store-files.ts';
export type { TableFiles } from './files/table-files.ts';
export { printJson } from './json/exact-json.ts';
export type { DataFile, LiveEntry } from './manifests/data-file.ts';
export { describeFile, type WrittenColumn, type WrittenFile } from './manifests/describe-file.ts';
export type { Snapshot } from './metadata/snapshot.ts';
export {
  ancestors,
  currentSchema,
  defaultSpec,
  newestSummary,
  schemasNewestFirst,
  snapshotOf,
  snapshotOfRef,
  specOfId,
  type TableMetadata,
} from './metadata/table-metadata.ts';
export { commitJson } from './metadata/updates-json.ts';
export { partitionKey } from './partitions/partition-key.ts';
export { partitionPath } from './partitions/partition-path.ts';
export {
  type NewPartitionField,
  type PartitionColumn,
  partitionColumns,
} from './partitions/partition-spec.ts';
export { canTransform, parseTransform, transformText, transformValue } from './partitions/transform.ts';
export type { Filter } from './pruning/filter.ts';
export { DeleteIndex, isUnpartitioned } from './scan/delete-index.ts';
export { manifestLayout } from './scan/manifest-layout.ts';
export { partitionsBySpec, planFiles } from './scan/plan-files.ts';
export { nameMappingOf, printNameMapping } from './schema/name-mapping.ts';
export { project } from './schema/projection.ts';
export { Schema } from './schema/schema.ts';
export { changesTowards } from './schema/schema-difference.ts';
export { type PrimitiveType, parsePrimitive, primitiveText, type Type, typeText } from './schema/types.ts';
export {
  CatalogDenied,
  ChangeRefused,
  InvalidTable,
  TableExists,
  TableNotFound,
} from './table-errors.ts';
export { readBytes, valueBytes } from './values/binary-value.ts';
export type { Value } from './values/value.ts';
