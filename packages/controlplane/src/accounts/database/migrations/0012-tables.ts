import type { Migration } from './migration.ts';

/**
 * Tables of data lake clusters. A table outlives its pipeline. A deleted one remains until its files are gone, beside
 * another of the same name.
 */
export const tables: Migration = {
  number: 12,
  name: 'tables',
  statements: [
    `CREATE TABLE weir_tables (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      cluster_id text NOT NULL REFERENCES weir_virtual_clusters (id) ON DELETE CASCADE, name text NOT NULL,
      pipeline_id text NOT NULL, source_cluster text NOT NULL, topic text NOT NULL, bucket_url text,
      created_ms bigint NOT NULL, deleted_ms bigint, replay_ms bigint
    )`,
    `CREATE UNIQUE INDEX weir_tables_by_name ON weir_tables (cluster_id, name) WHERE deleted_ms IS NULL`,
  ],
};
