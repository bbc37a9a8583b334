import type { Migration } from './migration.ts';

/**
 * Single sign-on connections, and federations whose tokens admit agents. The client secret is sealed with a key that is
 * not in the database.
 */
export const signIn: Migration = {
  number: 3,
  name: 'sign-in',
  statements: [
    `CREATE TABLE weir_sso_connections (
      id text PRIMARY KEY, account_id text NOT NULL UNIQUE REFERENCES weir_accounts (id),
      identifier text NOT NULL UNIQUE, issuer text NOT NULL, client_id text NOT NULL, sealed_client_secret text NOT NULL,
      default_role_id text NOT NULL REFERENCES weir_roles (id), has_role_mapping integer NOT NULL,
      role_claim text NOT NULL, created_ms bigint NOT NULL
    )`,
    `CREATE INDEX weir_sso_connections_by_role ON weir_sso_connections (default_role_id)`,
    `CREATE TABLE weir_federations (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      cluster_id text NOT NULL REFERENCES weir_virtual_clusters (id) ON DELETE CASCADE, name text NOT NULL,
      issuer text NOT NULL, audience text NOT NULL, claim_rules text NOT NULL, is_read_only integer NOT NULL,
      lifetime_seconds integer NOT NULL, created_ms bigint NOT NULL, UNIQUE (cluster_id, name)
    )`,
  ],
};
