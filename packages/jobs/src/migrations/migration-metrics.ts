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
  lag: {
    name: 'orbit_lag_offsets',
    kind: 'gauge',
    help: 'Offsets of the source that are not copied yet, on the agent that keeps the topics of the migration.',
    labels: ['topic'],
  },
} as const satisfies Record<string, MetricRow<'topic'>>;
