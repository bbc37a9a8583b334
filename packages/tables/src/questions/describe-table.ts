import type { DescribedTable, TableFilesAnswer } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import {
  defaultSpec,
  type LoadedTable,
  partitionPath,
  partitionsBySpec,
  planFiles,
  schemasNewestFirst,
  snapshotOfRef,
  type TableFiles,
  transformText,
  typeText,
} from '@weir/iceberg';

/** What a table is now, and how it came to be: schemas, partitions, snapshots. */
export function describeTable({ metadata, metadataPath }: LoadedTable): DescribedTable {
  const { snapshots, refs } = metadata;
  const known = schemasNewestFirst(metadata);
  return {
    location: metadata.location,
    metadataLocation: metadataPath,
    schemas: known.slice(0, coreLimits.tableSchemasShownMax).map(({ id, columns }) => ({
      id,
      isCurrent: id === metadata.currentSchemaId,
      columns: columns.map((column) => ({
        id: column.id,
        name: column.name,
        type: typeText(column.type),
        isRequired: column.isRequired,
      })),
    })),
    partitionFields: defaultSpec(metadata).fields.map(({ name, sourceId, transform }) => ({
      name,
      column:
        known
          .map((schema) => schema.column(sourceId))
          .find((column) => column !== undefined)
          ?.path.join('.') ?? String(sourceId),
      transform: transformText(transform),
    })),
    properties: metadata.properties,
    snapshots: snapshots
      .toSorted((a, b) => b.timestampMs - a.timestampMs || Number(b.sequenceNumber - a.sequenceNumber))
      .slice(0, coreLimits.tableSnapshotsShownMax)
      .map(({ id, timestampMs, operation, schemaId, summary }) => ({
        id: String(id),
        timestampMs,
        operation: operation ?? null,
        schemaId: schemaId ?? null,
        summary,
      })),
    snapshotCount: snapshots.length,
    refs: Object.entries(refs).map(([name, { type, snapshotId }]) => ({
      name,
      type,
      snapshotId: String(snapshotId),
    })),
  };
}

/** The data files of the current snapshot, those of newer snapshots first. */
export async function listTableFiles(
  files: TableFiles,
  { metadata }: LoadedTable,
  limit: number,
): Promise<TableFilesAnswer> {
  const { data } = await planFiles(files, metadata, snapshotOfRef(metadata));
  const columnsOf = partitionsBySpec(metadata);
  const shown = Math.min(limit, coreLimits.tableFilesShownMax);
  return {
    files: data
      .toSorted((a, b) => Number(b.sequenceNumber - a.sequenceNumber))
      .slice(0, shown)
      .map(({ file }) => ({
        path: file.path,
        partition: partitionPath(columnsOf(file.specId), file.partition),
        records: Number(file.recordCount),
        bytes: Number(file.fileBytes),
      })),
    isComplete: data.length <= shown,
  };
}
