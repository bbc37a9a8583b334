import { boundedTableState, type TableState, type TableTask } from '@weir/cluster';
import type { TableProgress } from '../ingestion/progress.ts';

/** What is reported of a table. */
export function tableStateOf(
  { tableUuid, tableName, configurationId }: Pick<TableTask, 'tableUuid' | 'tableName' | 'configurationId'>,
  topic: string,
  progress: TableProgress,
  problems: ReadonlyMap<number, string>,
): TableState {
  const { table, counts, lastError } = progress;
  const partitions = progress.partitions.map(
    ({ partition, nextOffset, endOffset, isStopped, error }): TableState['partitions'][number] => ({
      partition,
      nextOffset: Number(nextOffset),
      endOffset: endOffset === undefined ? -1 : Number(endOffset),
      isStopped,
      error: error ?? problems.get(partition),
    }),
  );
  const { ingestionLagMs } = progress;
  return boundedTableState({
    tableUuid,
    tableName,
    topic,
    configurationId,
    hasConfiguration: progress.hasDefinition,
    partitions,
    partitionCount: partitions.length,
    stoppedPartitionCount: partitions.filter(({ isStopped }) => isStopped).length,
    lagRecords: partitions.reduce(
      (sum, { nextOffset, endOffset }) => sum + Math.max(0, endOffset - nextOffset),
      0,
    ),
    ingestionLagMs: rounded(ingestionLagMs),
    // Metadata is published by the commit itself.
    queryLagMs: rounded(ingestionLagMs),
    rowCount: table?.rowCount,
    byteCount: table?.byteCount,
    fileCount: table?.fileCount,
    snapshotCount: table?.snapshotCount,
    tablePartitionCount: table?.partitionCount,
    tablePartitionLimit: table?.partitionsMax,
    fileLimit: table?.filesMax,
    snapshotLimit: table?.snapshotsMax,
    schemaId: table?.schemaId,
    metadataLocation: table?.metadataLocation,
    metadataVersion: table?.metadataVersion,
    lastCommitMs: rounded(progress.lastCommitMs),
    keptRecordCount: progress.keptRecords,
    droppedRecordCount: counts.skipped,
    readOffsetSum: progress.partitions.reduce((sum, { readOffset }) => sum + Number(readOffset), 0),
    committedRowCount: counts.rows,
    committedByteCount: Math.round(counts.rowBytes),
    isFailing: progress.isFailing,
    lastError: lastError?.message,
    lastErrorCause: lastError?.cause,
    isDenied: lastError?.isDenied,
    lastErrorMs: rounded(lastError?.atMs),
  });
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(0, Math.round(ms));
}
