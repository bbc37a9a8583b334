import type { MetricRow } from '@weir/core';

export const migrationRows = {
  /** The name that dashboards know. */
  unproxied: {
    name: 'orbit_auto_migration_unproxied_source_writes_num_records',
    kind: 'counter',
    help: 'Records that the source of a topic got without the agents while these pass writes on, as counted on this agent.',
    labels: ['topic'],
  },
  copiedBytes: {
    name: 'orbit_copied_bytes_counter',
    kind: 'counter',
    help: 'Bytes of batches that migrations copied on this agent.',
    labels: ['topic'],
  },
  copiedRecords: {
    name: 'orbit_copied_records_counter',
    kind: 'counter',
    help: 'Records that migrations copied on this agent, markers of transactions included.',
    labels: ['topic'],
  },
  forwardedRecords: {
    name: 'orbit_forwarded_records_counter',
    kind: 'counter',
    help: 'Records of clients that this agent passed on to the source of a topic, and that the source has stored.',
    labels: ['topic'],
  },
  forwardedBytes: {
    name: 'orbit_forwarded_bytes_counter',
    kind: 'counter',
    help: 'Bytes of the batches with these records.',
    labels: ['topic'],
  },
  failedForwards: {
    name: 'orbit_failed_forwards_counter',
    kind: 'counter',
    help: 'Batches of clients that this agent was to pass on and that the source has refused, or not answered.',
    labels: ['topic'],
  },
  lag: {
    name: 'orbit_lag_offsets',
    kind: 'gauge',
    help: 'Offsets of the source that are not copied yet, on the agent that keeps the topics of the migration.',
    labels: ['topic'],
  },
} as const satisfies Record<string, MetricRow<'topic'>>;
