import type { Migration } from './migration.ts';

/** The initial schema. The statements mean the same to SQLite and to PostgreSQL. */
export const accounts: Migration = {
  number: 1,
  name: 'accounts',
  statements: [
    `CREATE TABLE weir_accounts (
      id text PRIMARY KEY, name text NOT NULL, created_ms bigint NOT NULL, revision bigint NOT NULL
    )`,
    `CREATE TABLE weir_counters (name text PRIMARY KEY, value bigint NOT NULL)`,
    `INSERT INTO weir_counters VALUES ('revocations', 0), ('setups', 0)`,

    `CREATE TABLE weir_users (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id), email text NOT NULL,
      email_key text NOT NULL UNIQUE, name text NOT NULL, password_hash text, created_ms bigint NOT NULL,
      last_sign_in_ms bigint
    )`,
    `CREATE INDEX weir_users_by_account ON weir_users (account_id, created_ms, id)`,
    `CREATE TABLE weir_user_identities (
      issuer text NOT NULL, subject text NOT NULL, user_id text NOT NULL REFERENCES weir_users (id) ON DELETE CASCADE,
      created_ms bigint NOT NULL, PRIMARY KEY (issuer, subject)
    )`,
    `CREATE INDEX weir_user_identities_by_user ON weir_user_identities (user_id)`,

    `CREATE TABLE weir_workspaces (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id), name text NOT NULL,
      created_ms bigint NOT NULL, deleted_ms bigint
    )`,
    `CREATE UNIQUE INDEX weir_workspaces_by_name ON weir_workspaces (account_id, name) WHERE deleted_ms IS NULL`,

    `CREATE TABLE weir_roles (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id), name text NOT NULL,
      created_ms bigint NOT NULL, UNIQUE (account_id, name)
    )`,
    `CREATE TABLE weir_role_grants (
      role_id text NOT NULL REFERENCES weir_roles (id) ON DELETE CASCADE, workspace_id text NOT NULL,
      managed_grant_name text NOT NULL, PRIMARY KEY (role_id, workspace_id, managed_grant_name)
    )`,
    `CREATE INDEX weir_role_grants_by_workspace ON weir_role_grants (workspace_id)`,
    `CREATE TABLE weir_user_roles (
      user_id text NOT NULL REFERENCES weir_users (id) ON DELETE CASCADE,
      role_id text NOT NULL REFERENCES weir_roles (id) ON DELETE CASCADE, PRIMARY KEY (user_id, role_id)
    )`,
    `CREATE INDEX weir_user_roles_by_role ON weir_user_roles (role_id)`,

    `CREATE TABLE weir_invitations (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id), email text NOT NULL,
      email_key text NOT NULL, role_id text NOT NULL REFERENCES weir_roles (id) ON DELETE CASCADE,
      token_hash text NOT NULL UNIQUE, invited_by text NOT NULL, created_ms bigint NOT NULL, expires_ms bigint NOT NULL,
      UNIQUE (account_id, email_key)
    )`,
    `CREATE INDEX weir_invitations_by_role ON weir_invitations (role_id)`,
    `CREATE TABLE weir_setup_tokens (
      token_hash text PRIMARY KEY, created_ms bigint NOT NULL, expires_ms bigint NOT NULL
    )`,

    `CREATE TABLE weir_sessions (
      id text PRIMARY KEY, token_hash text NOT NULL UNIQUE,
      user_id text NOT NULL REFERENCES weir_users (id) ON DELETE CASCADE, created_ms bigint NOT NULL,
      last_seen_ms bigint NOT NULL, expires_ms bigint NOT NULL, remote_address text NOT NULL, user_agent text NOT NULL
    )`,
    `CREATE INDEX weir_sessions_by_user ON weir_sessions (user_id, created_ms)`,
    `CREATE INDEX weir_sessions_by_last_seen ON weir_sessions (last_seen_ms)`,

    `CREATE TABLE weir_api_keys (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id), name text NOT NULL,
      secret_hash text NOT NULL UNIQUE, secret_tail text NOT NULL, created_ms bigint NOT NULL, created_by text NOT NULL,
      last_used_ms bigint, UNIQUE (account_id, name)
    )`,
    `CREATE TABLE weir_api_key_grants (
      key_id text NOT NULL REFERENCES weir_api_keys (id) ON DELETE CASCADE, position integer NOT NULL,
      principal_kind text NOT NULL, resource_kind text NOT NULL, resource_id text NOT NULL, workspace_id text NOT NULL,
      managed_grant_name text, PRIMARY KEY (key_id, position)
    )`,
    `CREATE INDEX weir_api_key_grants_by_workspace ON weir_api_key_grants (workspace_id)`,
    `CREATE INDEX weir_api_key_grants_by_resource ON weir_api_key_grants (resource_id)`,

    `CREATE TABLE weir_virtual_clusters (
      id text PRIMARY KEY, account_id text NOT NULL REFERENCES weir_accounts (id),
      workspace_id text NOT NULL REFERENCES weir_workspaces (id), name text NOT NULL, type text NOT NULL,
      tier text NOT NULL, cloud_provider text NOT NULL, region text, region_group text, tags text NOT NULL,
      is_deletion_protected integer NOT NULL, created_ms bigint NOT NULL, deleted_ms bigint
    )`,
    `CREATE UNIQUE INDEX weir_virtual_clusters_by_name ON weir_virtual_clusters (workspace_id, name)
      WHERE deleted_ms IS NULL`,
    `CREATE INDEX weir_virtual_clusters_by_account ON weir_virtual_clusters (account_id, created_ms, id)`,
    `CREATE INDEX weir_virtual_clusters_deleted ON weir_virtual_clusters (deleted_ms) WHERE deleted_ms IS NOT NULL`,

    `CREATE TABLE weir_audit_entries (
      id text PRIMARY KEY, account_id text NOT NULL, time_ms bigint NOT NULL, actor_kind text NOT NULL,
      actor_id text NOT NULL, actor_name text NOT NULL, remote_address text NOT NULL, user_agent text NOT NULL,
      operation text NOT NULL, workspace_id text NOT NULL, result text NOT NULL, message text NOT NULL,
      targets text NOT NULL
    )`,
    `CREATE INDEX weir_audit_entries_by_time ON weir_audit_entries (account_id, time_ms, id)`,
    `CREATE INDEX weir_audit_entries_by_actor ON weir_audit_entries (account_id, actor_id, time_ms, id)`,
    `CREATE INDEX weir_audit_entries_by_actor_name ON weir_audit_entries (account_id, actor_name, time_ms, id)`,
    `CREATE INDEX weir_audit_entries_by_operation ON weir_audit_entries (account_id, operation, time_ms, id)`,
    `CREATE INDEX weir_audit_entries_by_age ON weir_audit_entries (time_ms)`,
    `CREATE TABLE weir_audit_targets (
      target_id text NOT NULL, time_ms bigint NOT NULL,
      entry_id text NOT NULL REFERENCES weir_audit_entries (id) ON DELETE CASCADE,
      PRIMARY KEY (target_id, time_ms, entry_id)
    )`,
    `CREATE INDEX weir_audit_targets_by_entry ON weir_audit_targets (entry_id)`,
  ],
};
