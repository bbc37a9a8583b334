import type { Migration } from './migration.ts';

/**
 * The role for reading records, in accounts that have none of its name, with the id that new accounts give it; and
 * which records a call read, as JSON, in the audit log.
 */
export const recordsReaders: Migration = {
  number: 11,
  name: 'records-readers',
  statements: [
    `INSERT INTO weir_roles (id, account_id, name, created_ms)
      SELECT 'pri_' || substr(accounts.id, 4), accounts.id, 'Records reader', accounts.created_ms
      FROM weir_accounts AS accounts
      WHERE NOT EXISTS (
        SELECT 1 FROM weir_roles AS known WHERE known.account_id = accounts.id AND known.name = 'Records reader'
      ) AND 1000 > (SELECT count(*) FROM weir_roles AS others WHERE others.account_id = accounts.id)`,
    `INSERT INTO weir_role_grants (role_id, workspace_id, managed_grant_name)
      SELECT roles.id, '*', 'read_records' FROM weir_roles AS roles
      WHERE roles.id = 'pri_' || substr(roles.account_id, 4)`,
    'ALTER TABLE weir_audit_entries ADD COLUMN read_records text',
  ],
};
