import type { MetricRow } from '@weir/core';

/** How exporters of the schema registry get on. */
export const exporterRows = {
  newVersions: {
    name: 'schema_exporter_exported_subject_versions',
    kind: 'counter',
    help: 'Subject versions written to the destination by schema exporters on this agent.',
    labels: ['exporter'],
  },
  deletedVersions: {
    name: 'schema_exporter_deleted_subject_versions',
    kind: 'counter',
    help: 'Subject versions deleted at the destination by schema exporters on this agent, soft deletes included.',
    labels: ['exporter'],
  },
  offset: {
    name: 'schema_exporter_offset',
    kind: 'gauge',
    help: 'Schema registry revision fully copied by an exporter, as of its last job on this agent.',
    labels: ['exporter'],
  },
  failures: {
    name: 'schema_exporter_failures',
    kind: 'counter',
    help: 'Failed jobs of schema exporters on this agent.',
    labels: ['exporter'],
  },
} as const satisfies Record<string, MetricRow<'exporter'>>;
