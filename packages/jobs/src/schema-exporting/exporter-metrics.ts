import type { MetricRow } from '@weir/core';

/** How exporters of the schema registry get on. */
export const exporterRows = {
  newVersions: {
    name: 'schema_exporter_exported_subject_versions',
    kind: 'counter',
    help: 'Versions of subjects that an exporter of the schema registry wrote to its destination from this agent.',
    labels: ['exporter'],
  },
  deletedVersions: {
    name: 'schema_exporter_deleted_subject_versions',
    kind: 'counter',
    help: 'Versions of subjects that an exporter of the schema registry deleted at its destination from this agent, or marked as deleted.',
    labels: ['exporter'],
  },
  offset: {
    name: 'schema_exporter_offset',
    kind: 'gauge',
    help: 'The revision of the schema registry up to which an exporter copied everything, as of its last job on this agent.',
    labels: ['exporter'],
  },
  failures: {
    name: 'schema_exporter_failures',
    kind: 'counter',
    help: 'Jobs of an exporter of the schema registry that failed on this agent.',
    labels: ['exporter'],
  },
} as const satisfies Record<string, MetricRow<'exporter'>>;
