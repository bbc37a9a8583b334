import type { MetricRow } from '@weir/core';

/** The first two have the names that dashboards know; the deletion queue is a list of the control plane here. */
export const deadFileRows = {
  submitted: {
    name: 'agent_deadscanner_optimistic_queue_submit_outcome',
    kind: 'counter',
    help: 'Dead files that this agent was given to delete.',
    labels: ['outcome'],
  },
  deleted: {
    name: 'agent_deadscanner_optimistic_queue_delete_file_outcome',
    kind: 'counter',
    help: 'Dead files that this agent deleted from the bucket, or could not delete.',
    labels: ['outcome'],
  },
  scanned: {
    name: 'agent_deadscanner_outcomes',
    kind: 'counter',
    help: 'Objects that the scanner saw: known to the cluster, young, orphan, sidecar, older_than_cluster, or foreign, which it never touches.',
    labels: ['outcome'],
  },
  replicas: {
    name: 'agent_deadscanner_replicas',
    kind: 'counter',
    help: 'Objects that the scanner found in some buckets of service_multi:// and not in others: copied, gone, failed, or unneeded, which it leaves alone.',
    labels: ['outcome'],
  },
  uploads: {
    name: 'agent_deadscanner_incomplete_uploads',
    kind: 'counter',
    help: 'Uploads in parts that the scanner found unfinished: aborted, left (deletion is off), young, foreign, or denied, once per scan that may not list or abort them.',
    labels: ['outcome'],
  },
} as const satisfies Record<string, MetricRow<'outcome'>>;
