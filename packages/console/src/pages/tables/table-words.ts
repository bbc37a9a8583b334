import { formatDuration, formatShort } from '../../format/format.ts';
import type { StatusKind } from '../../ui/status.tsx';
import type { Table, TableStatus } from './use-tables.ts';

type Health = TableStatus['health']['status'];
type Reason = TableStatus['health']['reasons'][number];

export const healthKinds: Readonly<Record<Health, StatusKind>> = {
  healthy: 'ok',
  initializing: 'info',
  paused: 'muted',
  inactive: 'muted',
  degraded: 'warn',
  failing: 'fail',
};

/** What a reason means, and what to do. */
export const reasonTexts: Readonly<Record<Reason, string>> = {
  pipeline_paused: 'Its pipeline is paused. Start the pipeline to write the table.',
  not_configured: 'No deployed configuration names the table. Its rows stay until you delete it.',
  no_agent: 'No agent of the cluster writes tables. Start one that has the role jobs.',
  waiting_for_agent: 'It waits for an agent that has room for another job.',
  no_report: 'The agent that writes it has not reported yet.',
  no_commit: 'No rows were committed yet. The first commit comes within the commit interval.',
  configuration_pending: 'The agent has not taken the deployed configuration yet.',
  falling_behind: 'It takes rows more slowly than the topic gets records.',
  partition_stopped:
    'A partition waits at a record that cannot be a row. Deploy a configuration that takes or skips it.',
  source_failing: 'The source cluster cannot be read.',
  records_failing: 'Records cannot be rows. See the failed records.',
  storage_failing: 'The bucket refuses files. Check the permissions of the agents.',
  catalog_failing: 'The catalog refuses commits.',
  ingestion_failing: 'Writing fails, and is tried again.',
};

/** A lag as people read it; a dash while it is not known. */
export function lagText(seconds: number | null | undefined): string {
  return seconds === undefined || seconds === null ? '–' : formatDuration(seconds * 1_000);
}

/** The largest lag of some tables, in seconds; `null` if none is known. */
export function worstLagSeconds(tables: readonly Pick<Table, 'status'>[]): number | null {
  const lags = tables.flatMap(({ status }) => status?.query_lag_seconds ?? []);
  return lags.length === 0 ? null : Math.max(...lags);
}

/** Rows, as the agent says them, or as they were when it last did. */
export function rowsOf({ status, stats_estimated_row_count: estimate }: Table): number {
  return status?.rows ?? estimate;
}

export function bytesOf({ status, stats_estimated_byte_count: estimate }: Table): number {
  return status?.bytes ?? estimate;
}

/** Tables that need attention: those that fail, then those that are late; the farthest behind first. */
export function troubledTables(tables: readonly Table[]): readonly Table[] {
  const rank = ({ status }: Table) => (status?.health.status === 'failing' ? 1 : 0);
  return tables
    .filter(({ status }) => status?.health.status === 'failing' || status?.health.status === 'degraded')
    .toSorted(
      (a, b) => rank(b) - rank(a) || (b.status?.query_lag_seconds ?? 0) - (a.status?.query_lag_seconds ?? 0),
    );
}

/** `1,200 records behind, 12 s`; empty without a lag. */
export function behindText({ lag_records: records, query_lag_seconds: seconds }: TableStatus): string {
  if (records === undefined || records === 0) return '';
  const age = seconds === undefined ? '' : `, ${formatDuration(seconds * 1_000)}`;
  return `${formatShort(records)} ${records === 1 ? 'record' : 'records'} behind${age}`;
}

/** A message as a sentence of the page. */
export function sentenceOf(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
