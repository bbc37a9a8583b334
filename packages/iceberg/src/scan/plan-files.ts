/**
 * The files that a reader needs: those of a snapshot that may have rows that match a filter. Manifests are left out by
 * their partitions, files by theirs and by bounds.
 */
import type { TableFiles } from '../files/table-files.ts';
import type { DataFile, LiveEntry } from '../manifests/data-file.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import {
  currentSchema,
  schemasNewestFirst,
  specOfId,
  type TableMetadata,
} from '../metadata/table-metadata.ts';
import { type PartitionColumn, partitionColumns } from '../partitions/partition-spec.ts';
import { checkFilter, everything, type Filter, filteredType } from '../pruning/filter.ts';
import { rangeOfMetrics, rangeOfPartition, rangeOfSummary } from '../pruning/known-ranges.ts';
import { mayMatch, type RangesOf } from '../pruning/may-match.ts';
import type { Schema } from '../schema/schema.ts';
import { entriesOf, manifestsOf } from './snapshot-manifests.ts';

interface PlannedFiles {
  readonly data: readonly LiveEntry[];
  /** Delete files of the snapshot; not pruned, because they are about rows of other files. */
  readonly deletes: readonly LiveEntry[];
  readonly readManifests: number;
}

export async function planFiles(
  files: TableFiles,
  metadata: TableMetadata,
  snapshot: Snapshot | undefined,
  filter: Filter = everything,
): Promise<PlannedFiles> {
  const schema = currentSchema(metadata);
  checkFilter(filter, schema);
  const columnsOf = partitionsBySpec(metadata);
  const data: LiveEntry[] = [];
  const deletes: LiveEntry[] = [];
  let readManifests = 0;
  for (const manifest of await manifestsOf(files, snapshot)) {
    if (!hasLiveFiles(manifest)) continue;
    const columns = columnsOf(manifest.specId);
    if (manifest.content === 'data' && !manifestMayMatch(filter, schema, columns, manifest)) continue;
    readManifests++;
    for (const entry of await entriesOf(files, metadata, manifest)) {
      if (entry.status === 'deleted') continue;
      if (manifest.content === 'deletes') deletes.push(entry);
      else if (fileMayMatch(filter, schema, columns, entry.file)) data.push(entry);
    }
  }
  return { data, deletes, readManifests };
}

/** The partition columns of specs by id, each derived once. */
export function partitionsBySpec(metadata: TableMetadata): (specId: number) => readonly PartitionColumn[] {
  const known = new Map<number, readonly PartitionColumn[]>();
  return (specId) => {
    const columns =
      known.get(specId) ?? partitionColumns(specOfId(metadata, specId), schemasNewestFirst(metadata));
    known.set(specId, columns);
    return columns;
  };
}

/** Writers of format version 1 may not have counted. */
export function hasLiveFiles({ addedFiles, existingFiles, deletedFiles }: ManifestFile): boolean {
  return addedFiles + existingFiles > 0 || deletedFiles === 0;
}

function manifestMayMatch(
  filter: Filter,
  schema: Schema,
  columns: readonly PartitionColumn[],
  { partitions }: ManifestFile,
): boolean {
  if (partitions === undefined || partitions.length !== columns.length) return true;
  return mayMatch(
    filter,
    rangesBy(schema, columns, (column, at) => rangeOfSummary(column, partitions[at]!)),
  );
}

/** Whether a file may have rows that match. */
export function fileMayMatch(
  filter: Filter,
  schema: Schema,
  columns: readonly PartitionColumn[],
  file: DataFile,
): boolean {
  const byPartition = rangesBy(schema, columns, (column, at) =>
    rangeOfPartition(column, file.partition[at] ?? null),
  );
  return mayMatch(filter, (id) => {
    const { type, ranges } = byPartition(id);
    const metrics = file.columns.get(id);
    return { type, ranges: metrics === undefined ? ranges : [...ranges, rangeOfMetrics(type, metrics)] };
  });
}

function rangesBy(
  schema: Schema,
  columns: readonly PartitionColumn[],
  rangeOf: (column: PartitionColumn, at: number) => ReturnType<typeof rangeOfPartition>,
): RangesOf {
  return (id) => ({
    type: filteredType(id, schema),
    ranges: columns.flatMap((column, at) => (column.sourceId === id ? (rangeOf(column, at) ?? []) : [])),
  });
}
