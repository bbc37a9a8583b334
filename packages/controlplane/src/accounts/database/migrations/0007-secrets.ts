import type { Migration } from './migration.ts';

/** Named secrets of clusters, and the names that configurations refer to: these are sealed and cannot be searched. */
export const secrets: Migration = {
  number: 7,
  name: 'secrets',
  statements: [
    `CREATE TABLE weir_secrets (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      cluster_id text NOT NULL REFERENCES weir_virtual_clusters (id) ON DELETE CASCADE, name text NOT NULL,
      sealed_value text NOT NULL, version integer NOT NULL, allows_exporters integer NOT NULL,
      created_ms bigint NOT NULL, created_by text NOT NULL, updated_ms bigint NOT NULL, updated_by text NOT NULL,
      UNIQUE (cluster_id, name)
    )`,
    `ALTER TABLE weir_pipeline_configurations ADD COLUMN secret_names text`,
  ],
};
