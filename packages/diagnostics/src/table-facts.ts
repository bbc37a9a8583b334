import {
  type JobsState,
  type ListedJob,
  type ReportedTable,
  readIngestionScope,
  tableIngestionKind,
} from '@weir/cluster';
import type { TableFacts } from './diagnostic-snapshot.ts';

/** A table that a running pipeline writes. */
export interface TableToWrite {
  readonly tableUuid: string;
  readonly name: string;
}

/** What jobs and agents say about the tables that should be written. */
export function tableFacts(
  tables: readonly TableToWrite[],
  { jobs, takers }: JobsState,
  reports: readonly ReportedTable[],
): readonly TableFacts[] {
  const jobOf = new Map<string, ListedJob>();
  // The first job of a table is the open or failing one.
  for (const job of jobs) {
    const { tableUuid } = readIngestionScope(job.scope);
    if (job.kind === tableIngestionKind && !jobOf.has(tableUuid)) jobOf.set(tableUuid, job);
  }
  const reportOf = new Map(reports.map((report) => [report.tableUuid, report]));
  const agentCount = takers.find(({ kind }) => kind === tableIngestionKind)?.agentCount ?? 0;
  return tables.map(({ tableUuid, name }) => {
    const { state, plannedMs, failureCount = 0, message = '' } = jobOf.get(tableUuid) ?? {};
    return {
      tableUuid,
      name,
      agentCount,
      state,
      plannedMs,
      failureCount,
      message,
      report: reportOf.get(tableUuid),
    };
  });
}
