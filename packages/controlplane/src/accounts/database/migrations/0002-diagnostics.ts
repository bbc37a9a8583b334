import type { Migration } from './migration.ts';

/**
 * The health of clusters. The clusters of a process need not be in the registry, so there is no foreign key. Records
 * and transitions are JSON, because no query reads their fields.
 */
export const diagnostics: Migration = {
  number: 2,
  name: 'diagnostics',
  statements: [
    `CREATE TABLE weir_diagnostics (
      cluster_id text NOT NULL, name text NOT NULL, version bigint NOT NULL, record text NOT NULL,
      PRIMARY KEY (cluster_id, name)
    )`,
    `CREATE TABLE weir_diagnostic_transitions (
      cluster_id text NOT NULL, name text NOT NULL, number bigint NOT NULL, time_ms bigint NOT NULL,
      transition text NOT NULL, PRIMARY KEY (cluster_id, name, number)
    )`,
    `CREATE INDEX weir_diagnostic_transitions_by_time
      ON weir_diagnostic_transitions (cluster_id, time_ms, name, number)`,
  ],
};
