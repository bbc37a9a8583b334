import type { MetricRow } from '@weir/core';

/** The first two have the names that dashboards know; the deletion queue is a list of the control plane here. */
export const deadFileRows = {
  submitted: {
    name: 'agent_deadscanner_optimistic_queue_submit_outcome',
    kind: 'counter',
    help: 'Unreferenced files assigned to this agent for deletion.',
    labels: ['outcome'],
  },
  deleted: {
    name: 'agent_deadscanner_optimistic_queue_delete_file_outcome',
    kind: 'counter',
    help: 'Unreferenced files deleted by this agent, by outcome.',
    labels: ['outcome'],
  },
  scanned: {
    name: 'agent_deadscanner_outcomes',
    kind: 'counter',
    help: 'Objects seen by the scanner: known to the cluster, young, orphan, sidecar, sequence_end, older_than_cluster, or foreign, which it never deletes.',
    labels: ['outcome'],
  },
  replicas: {
    name: 'agent_deadscanner_replicas',
    kind: 'counter',
    help: 'Objects missing from some buckets of service_multi://: copied, gone, failed, or unneeded (left as they are).',
    labels: ['outcome'],
  },
  uploads: {
    name: 'agent_deadscanner_incomplete_uploads',
    kind: 'counter',
    help: 'Incomplete multipart uploads found by the scanner: aborted, left (deletion is disabled), young, foreign, or denied (once per scan without permission to list or abort them).',
    labels: ['outcome'],
  },
} as const satisfies Record<string, MetricRow<'outcome'>>;
