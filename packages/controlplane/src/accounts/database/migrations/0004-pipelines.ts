import type { Migration } from './migration.ts';

/**
 * Pipelines of clusters and their configurations. A pipeline has its own version counter, so that no number is reused
 * when old configurations are deleted.
 */
export const pipelines: Migration = {
  number: 4,
  name: 'pipelines',
  statements: [
    `CREATE TABLE weir_pipelines (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      cluster_id text NOT NULL REFERENCES weir_virtual_clusters (id) ON DELETE CASCADE, name text NOT NULL,
      type text NOT NULL, state text NOT NULL, deployed_configuration_id text, last_version integer NOT NULL,
      created_ms bigint NOT NULL, UNIQUE (cluster_id, name)
    )`,
    `CREATE TABLE weir_pipeline_configurations (
      id text PRIMARY KEY, pipeline_id text NOT NULL REFERENCES weir_pipelines (id) ON DELETE CASCADE,
      version integer NOT NULL, yaml text NOT NULL, parts text, created_ms bigint NOT NULL,
      UNIQUE (pipeline_id, version)
    )`,
  ],
};
