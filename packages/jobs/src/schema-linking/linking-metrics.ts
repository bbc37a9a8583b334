import type { MetricRow } from '@weir/core';

/** The names that dashboards know. `sync_id` is the pipeline, so that series do not grow with time. */
export const linkingRows = {
  sourceVersions: {
    name: 'schema_linking_source_subject_versions_count',
    kind: 'gauge',
    help: 'Subject versions in the source registry, as of the last schema linking sync on this agent.',
    labels: ['sync_id', 'config_id'],
  },
  newVersions: {
    name: 'schema_linking_newly_migrated_subject_versions',
    kind: 'counter',
    help: 'Subject versions copied by schema linking on this agent. sync_id is the pipeline, config_id its configuration.',
    labels: ['sync_id', 'config_id'],
  },
} as const satisfies Record<string, MetricRow<'sync_id' | 'config_id'>>;
