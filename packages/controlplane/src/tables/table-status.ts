import type { OutputOf, TableHealth, TableHealthReason } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  type JobsState,
  type ListedJob,
  lagOf,
  type ReportedTable,
  readIngestionScope,
  type TableErrorCause,
  tableIngestionKind,
} from '@weir/cluster';
import { timeText } from '@weir/core';
import type { Table } from '../accounts/workspaces/tables.ts';
import type { ConfiguredPipeline } from './table-pipelines.ts';

export type TableStatus = NonNullable<OutputOf<'dl/get_table'>['status']>;
type Health = TableStatus['health'];

/** What is known of the tables of a cluster. */
export interface KnownState {
  /** With deployed configurations. */
  readonly pipelines: readonly ConfiguredPipeline[];
  /** Absent while the leader does not answer. */
  readonly jobs?: JobsState | undefined;
}

/** Rows that arrive later than this are late, whatever the commit interval is. */
const lateMs = 15 * 60_000;

const causeReasons: Readonly<Record<TableErrorCause, TableHealthReason>> = {
  source: 'source_failing',
  records: 'records_failing',
  storage: 'storage_failing',
  catalog: 'catalog_failing',
  other: 'ingestion_failing',
};

export function tableStatus(table: Table, state: KnownState, report: ReportedTable | undefined): TableStatus {
  const deployed = state.pipelines.find(({ pipeline }) => pipeline.id === table.pipelineId);
  const matches = report?.hasConfiguration === true && report.configurationId === deployed?.configurationId;
  return {
    health: healthOf(table, state, report),
    iceberg_metadata_matches_deployed_config: matches,
    ...(report === undefined ? {} : reportedStatus(report)),
    ...(table.replayRequestedMs === undefined
      ? {}
      : { replay_requested_at: timeText(table.replayRequestedMs) }),
  };
}

function reportedStatus(report: ReportedTable): Partial<TableStatus> {
  const { partitions, lastCommitMs, lastErrorMs, lastError, metadataLocation } = report;
  return {
    agent_id: report.agentId.slice(0, 128),
    reported_at: timeText(report.reportedMs),
    ...(partitions.length === 0 ? {} : { partitions: partitionsOf(report) }),
    topic_partitions_count: counted(report.partitionCount),
    lag_records: counted(report.lagRecords),
    ingestion_lag_seconds: secondsOf(report.ingestionLagMs),
    query_lag_seconds: secondsOf(report.queryLagMs),
    rows: counted(report.rowCount),
    bytes: counted(report.byteCount),
    files: counted(report.fileCount),
    snapshots: counted(report.snapshotCount),
    partitions_count: counted(report.tablePartitionCount),
    dlq_records: counted(report.keptRecordCount),
    dropped_records: counted(report.droppedRecordCount),
    last_commit_at: lastCommitMs === undefined ? undefined : timeText(lastCommitMs),
    last_error: lastError === undefined ? undefined : lineOf(lastError),
    last_error_at: lastErrorMs === undefined ? undefined : timeText(lastErrorMs),
    schema_id: counted(report.schemaId),
    metadata_location: metadataLocation === undefined ? undefined : lineOf(metadataLocation),
  };
}

function partitionsOf({ partitions }: ReportedTable): NonNullable<TableStatus['partitions']> {
  return partitions
    .slice(0, apiLimits.tableTopicPartitionsShownMax)
    .toSorted((a, b) => a.partition - b.partition)
    .map(({ partition, nextOffset, endOffset, isStopped, error }) => ({
      partition: Math.max(0, partition),
      next_offset: Math.max(0, nextOffset),
      ...(endOffset < 0 ? {} : { end_offset: endOffset }),
      lag_records: lagOf({ nextOffset, endOffset }),
      ...(isStopped === true ? { is_stopped: true } : {}),
      ...(error === undefined ? {} : { error: lineOf(error) }),
    }));
}

/** The first that holds, from what a user decided to what agents see. */
export function healthOf(
  { name, uuid, pipelineId }: Table,
  { pipelines, jobs }: KnownState,
  report: ReportedTable | undefined,
): Health {
  const owner = pipelines.find(({ pipeline }) => pipeline.id === pipelineId);
  if (owner === undefined || !owner.tables.has(name))
    return health(
      'inactive',
      ['not_configured'],
      'no deployed configuration of its pipeline names the table',
    );
  if (owner.pipeline.state === 'paused')
    return health('paused', ['pipeline_paused'], `the pipeline "${owner.pipeline.name}" is paused`);
  const job = jobs?.jobs.find(
    ({ kind, scope, state }) =>
      kind === tableIngestionKind && state !== 'done' && readIngestionScope(scope).tableUuid === uuid,
  );
  if (job?.state === 'failing' || job?.state === 'stopped') {
    const cause = report?.lastErrorCause;
    return health('failing', [cause === undefined ? 'ingestion_failing' : causeReasons[cause]], job.message);
  }
  if (report === undefined) return unreportedHealth(job, jobs);
  return reportedHealth(report, owner.configurationId);
}

function unreportedHealth(job: ListedJob | undefined, jobs: JobsState | undefined): Health {
  if (jobs === undefined)
    return health('initializing', ['no_report'], 'the leader of the cluster does not answer');
  const { agentCount = 0 } = jobs.takers.find(({ kind }) => kind === tableIngestionKind) ?? {};
  if (agentCount === 0)
    return health('failing', ['no_agent'], 'no agent writes tables; start an agent of this cluster');
  if (job?.state !== 'running')
    return health('initializing', ['waiting_for_agent'], 'the table waits for an agent');
  return health('initializing', ['no_report'], 'its agent has not reported yet');
}

function reportedHealth(report: ReportedTable, configurationId: string): Health {
  const {
    isFailing,
    lastError = '',
    lastErrorCause = 'other',
    stoppedPartitionCount,
    ingestionLagMs,
  } = report;
  if (isFailing) return health('failing', [causeReasons[lastErrorCause]], lastError);
  const pending: TableHealthReason[] =
    report.configurationId === configurationId ? [] : ['configuration_pending'];
  if (stoppedPartitionCount > 0) {
    const isWhole = stoppedPartitionCount >= report.partitionCount;
    const error = report.partitions.find(({ isStopped }) => isStopped)?.error ?? lastError;
    const message = `${stoppedPartitionCount} of ${report.partitionCount} partitions are stopped${error === '' ? '' : `: ${error}`}`;
    return health(isWhole ? 'failing' : 'degraded', ['partition_stopped', ...pending], message);
  }
  if (report.rowCount === undefined)
    return health('initializing', ['no_commit', ...pending], 'nothing was committed yet');
  if (ingestionLagMs !== undefined && ingestionLagMs >= lateMs)
    return health(
      'degraded',
      ['falling_behind', ...pending],
      `the oldest record that it lacks is ${Math.round(ingestionLagMs / 60_000)} minutes old`,
    );
  return health('healthy', pending, '');
}

function health(status: TableHealth, reasons: TableHealthReason[], message: string): Health {
  return { status, message: lineOf(message), reasons };
}

function lineOf(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, apiLimits.tableMessageCharsMax)
    .toWellFormed();
}

/** Agents report -1 for a count that they do not know. */
function counted(value: number | undefined): number | undefined {
  return value === undefined || value < 0 ? undefined : value;
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined || ms < 0 ? undefined : ms / 1000;
}
