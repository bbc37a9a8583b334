import { clusterLimits } from '../limits.ts';
import * as s from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

/** A partition of the topic of a table. */
const tablePartition = s.struct({
  partition: s.whole,
  /** The offset of the next record that the table does not have yet. */
  nextOffset: s.whole,
  /** -1 if it is not known. */
  endOffset: s.whole,
  /** It waits for an operator at a record that cannot be a row. */
  isStopped: s.optional(s.flag),
  /** Why it is stopped or not read, in one line. */
  error: s.optional(s.text),
});
type TablePartition = s.TypeOf<typeof tablePartition>;

const tableErrorCauses = ['source', 'records', 'storage', 'catalog', 'other'] as const;
export type TableErrorCause = (typeof tableErrorCauses)[number];

/** A table, as the agent that writes it knows it. Counts of the table are those of its newest snapshot. */
const tableState = s.struct({
  tableUuid: s.text,
  tableName: s.text,
  topic: s.text,
  /** The configuration that the agent runs. */
  configurationId: s.text,
  /** The table has the schema, the partitioning and the properties of that configuration. */
  hasConfiguration: s.flag,
  /** Those of the topic that are farthest behind, stopped ones first; `reportedTablePartitionsMax` at most. */
  partitions: s.list(tablePartition),
  /** Of all partitions of the topic. */
  partitionCount: s.whole,
  stoppedPartitionCount: s.whole,
  lagRecords: s.whole,
  /** Age of the oldest record that the table does not have; 0 if it has all. Absent until it is known. */
  ingestionLagMs: s.optional(s.whole),
  /** The same for readers: with what the newest published metadata lacks. */
  queryLagMs: s.optional(s.whole),
  /** Absent before the first commit. */
  rowCount: s.optional(s.whole),
  byteCount: s.optional(s.whole),
  fileCount: s.optional(s.whole),
  snapshotCount: s.optional(s.whole),
  /** Values of the partition fields of the table. */
  tablePartitionCount: s.optional(s.whole),
  /** How many of them there may be; and of files and snapshots. */
  tablePartitionLimit: s.optional(s.whole),
  fileLimit: s.optional(s.whole),
  snapshotLimit: s.optional(s.whole),
  schemaId: s.optional(s.whole),
  metadataLocation: s.optional(s.text),
  metadataVersion: s.optional(s.whole),
  lastCommitMs: s.optional(s.whole),
  /** Records that are kept because they could not be rows. */
  keptRecordCount: s.whole,
  /** Records that could not be rows and were dropped, since the agent began. */
  droppedRecordCount: s.whole,
  /** What it read of the topic: the sum of the offsets that come next. It goes back when another agent takes over. */
  readOffsetSum: s.optional(s.whole),
  /** Rows that were committed since the agent began, and about their bytes, uncompressed. */
  committedRowCount: s.optional(s.whole),
  committedByteCount: s.optional(s.whole),
  /** It could not read or commit when it last tried. */
  isFailing: s.flag,
  /** What went wrong last, in one line, at what, and when by the clock of the agent. */
  lastError: s.optional(s.text),
  lastErrorCause: s.optional(s.oneOf(...tableErrorCauses)),
  /** Whether the catalog denied it, so that credentials or rights have to change. */
  isDenied: s.optional(s.flag),
  lastErrorMs: s.optional(s.whole),
});
export type TableState = s.TypeOf<typeof tableState>;

/** How far a replay of kept records is. It may run on another agent than the table is written by. */
const replayState = s.struct({
  tableUuid: s.text,
  /** Records that it has not worked on yet. */
  lagRecords: s.whole,
  /** Age of the oldest of them, by the time of the record. */
  lagMs: s.optional(s.whole),
});
export type ReplayState = s.TypeOf<typeof replayState>;

const tablesReport = s.struct({
  agentId: s.text,
  /** At most `reportedTablesMax`. */
  tables: s.list(tableState),
  /** At most `reportedTablesMax`. */
  replays: s.optional(s.list(replayState)),
});
export type TablesReport = s.TypeOf<typeof tablesReport>;

/** The newest report about a table. */
export interface ReportedTable extends TableState {
  readonly agentId: string;
  /** By the clock of the leader. */
  readonly reportedMs: number;
  /** Of the replay of its kept records; absent if none runs. */
  readonly replay?: Omit<ReplayState, 'tableUuid'> | undefined;
}

/** Interval between an agent's reports about a table. */
export const tableReportIntervalMs = 10_000;

/** Calls about the tables of a data lake cluster. */
export const tableCalls = {
  /** Reports tables that the agent writes, every `tableReportIntervalMs`. A leader forgets them after some minutes. */
  reportTables: leaderCall<[report: TablesReport], void>(s.tuple(tablesReport), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Returns the newest reports, without partitions. Agents publish them as metrics. */
  listReportedTables: leaderCall<[], readonly ReportedTable[]>(s.tuple(), { onRetry: 'reexecute' }),
  /** Returns the newest report about a table; `null` if there is none. */
  describeReportedTable: leaderCall<[tableUuid: string], ReportedTable | null>(s.tuple(s.text), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
};

export type TablesPort = PortOf<typeof tableCalls>;

/** Splits what an agent knows of its tables into reports within the limits of a call. */
export function tablesReports(agentId: string, tables: readonly TableState[]): readonly TablesReport[] {
  const reports: { readonly agentId: string; readonly tables: TableState[] }[] = [];
  let partitionCount = 0;
  for (const table of tables.map(boundedTableState)) {
    partitionCount += table.partitions.length;
    const open = reports.at(-1);
    const isFull =
      open === undefined ||
      open.tables.length >= clusterLimits.reportedTablesMax ||
      partitionCount > clusterLimits.reportedPartitionsMax;
    if (isFull) {
      reports.push({ agentId, tables: [table] });
      partitionCount = table.partitions.length;
    } else open.tables.push(table);
  }
  return reports;
}

/** Without what a report has no room for. */
export function boundedTableState(table: TableState): TableState {
  const { reportedTablePartitionsMax, reportedTableTextCharsMax } = clusterLimits;
  const cut = (text: string | undefined) => text?.slice(0, reportedTableTextCharsMax);
  const { partitions } = table;
  const shown =
    partitions.length <= reportedTablePartitionsMax
      ? partitions
      : partitions.toSorted(byUrgency).slice(0, reportedTablePartitionsMax);
  return {
    ...table,
    tableUuid: table.tableUuid.slice(0, reportedTableTextCharsMax),
    tableName: table.tableName.slice(0, reportedTableTextCharsMax),
    topic: table.topic.slice(0, reportedTableTextCharsMax),
    configurationId: table.configurationId.slice(0, reportedTableTextCharsMax),
    partitions: shown.map((one) => (one.error === undefined ? one : { ...one, error: cut(one.error) })),
    metadataLocation: cut(table.metadataLocation),
    lastError: cut(table.lastError),
  };
}

function byUrgency(a: TablePartition, b: TablePartition): number {
  const stopped = Number(b.isStopped ?? false) - Number(a.isStopped ?? false);
  return stopped || lagOf(b) - lagOf(a) || a.partition - b.partition;
}

/** How many records a table lacks of a partition. */
export function lagOf({ nextOffset, endOffset }: Pick<TablePartition, 'nextOffset' | 'endOffset'>): number {
  return Math.max(0, endOffset - nextOffset);
}
