import type { MetricRow, Metrics } from '@weir/core';
import type { TopicCounts } from '@weir/tables/process';

/** The names that dashboards know. */
export const tableRows = {
  deadLetters: {
    name: 'tableflow_dlq_records_counter',
    kind: 'counter',
    help: 'Records that could not become rows on this agent, by what was done with them: skip or keep.',
    labels: ['topic', 'strategy'],
  },
  files: {
    name: 'agent_tableflow_files_written',
    kind: 'counter',
    help: 'Data files of tables that this agent stored.',
    labels: ['source_topic'],
  },
  bytes: {
    name: 'agent_tableflow_bytes_written',
    kind: 'counter',
    help: 'Bytes of data files of tables that this agent stored.',
    labels: ['source_topic'],
  },
  rows: {
    name: 'agent_tableflow_rows_written',
    kind: 'counter',
    help: 'Rows that this agent committed to tables.',
    labels: ['source_topic'],
  },
  verified: {
    name: 'data_lake_file_exists_verifier_run_outcome',
    kind: 'counter',
    help: 'Clean-ups of tables on this agent, by whether the files that the table refers to exist: success, missing or error.',
    labels: ['outcome'],
  },
  dropped: {
    name: 'ingestion_job_transform_drop_counter',
    kind: 'counter',
    help: 'Records that a transform dropped on this agent, or that had no value.',
    labels: ['topic'],
  },
} as const satisfies Record<string, MetricRow<string>>;

/** Counts what the process of tables did. */
export function countTopic(metrics: Metrics, counts: TopicCounts): void {
  const { topic } = counts;
  const bySource = { source_topic: topic };
  const add = <Label extends string>(row: MetricRow<Label>, labels: Record<Label, string>, by: number) => {
    if (by > 0) metrics.series(row, labels).add(by);
  };
  add(tableRows.rows, bySource, counts.rows);
  add(tableRows.files, bySource, counts.files);
  add(tableRows.bytes, bySource, counts.bytes);
  add(tableRows.dropped, { topic }, counts.filtered);
  add(tableRows.deadLetters, { topic, strategy: 'skip' }, counts.skipped);
  add(tableRows.deadLetters, { topic, strategy: 'keep' }, counts.kept);
}
