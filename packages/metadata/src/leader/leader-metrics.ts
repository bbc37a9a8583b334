import { durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';

const appendSecondsRow: MetricRow<'cluster'> = {
  name: 'journal_append_seconds',
  kind: 'histogram',
  help: 'How long an append to the journal of a cluster took, repetitions included.',
  labels: ['cluster'],
  buckets: durationBucketsSeconds,
};

const entriesRow: MetricRow<'cluster'> = {
  name: 'journal_entries_total',
  kind: 'counter',
  help: 'Entries that this process appended to the journal of a cluster.',
  labels: ['cluster'],
};

const refusedRow: MetricRow<'cluster'> = {
  name: 'cluster_calls_refused_total',
  kind: 'counter',
  help: 'Calls that were refused because too many waited for the journal.',
  labels: ['cluster'],
};

const leaderRow: MetricRow<'cluster'> = {
  name: 'cluster_leader',
  kind: 'gauge',
  help: 'Whether this process leads the cluster.',
  labels: ['cluster'],
};

export const leaderMetricRows: readonly MetricRow[] = [appendSecondsRow, entriesRow, refusedRow, leaderRow];

export interface CommitMetrics {
  readonly appendSeconds: Series;
  readonly entries: Series;
  readonly refused: Series;
  readonly leader: Series;
}

export function commitMetrics(metrics: Metrics, cluster: string): CommitMetrics {
  return {
    appendSeconds: metrics.series(appendSecondsRow, { cluster }),
    entries: metrics.series(entriesRow, { cluster }),
    refused: metrics.series(refusedRow, { cluster }),
    leader: metrics.series(leaderRow, { cluster }),
  };
}
