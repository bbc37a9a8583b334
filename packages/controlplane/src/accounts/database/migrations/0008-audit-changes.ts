import type { Migration } from './migration.ts';

/** What a call changed, before and after, as a JSON list. */
export const auditChanges: Migration = {
  number: 8,
  name: 'audit-changes',
  statements: ["ALTER TABLE weir_audit_entries ADD COLUMN changes text NOT NULL DEFAULT '[]'"],
};
