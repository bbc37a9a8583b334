import { durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';

const appendSecondsRow: MetricRow<'cluster'> = {
  name: 'journal_append_seconds',
  kind: 'histogram',
  help: 'Latency of journal appends, retries included.',
  labels: ['cluster'],
  buckets: durationBucketsSeconds,
};

const entriesRow: MetricRow<'cluster'> = {
  name: 'journal_entries_total',
  kind: 'counter',
  help: 'Journal entries appended by this process.',
  labels: ['cluster'],
};

const refusedRow: MetricRow<'cluster'> = {
  name: 'cluster_calls_refused_total',
  kind: 'counter',
  help: 'Calls refused because the journal queue was full.',
  labels: ['cluster'],
};

const leaderRow: MetricRow<'cluster'> = {
  name: 'cluster_leader',
  kind: 'gauge',
  help: '1 if this process leads the cluster.',
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
