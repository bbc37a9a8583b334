import type { Migration } from './migration.ts';

/** The interface that a call came through. */
export const auditVia: Migration = {
  number: 9,
  name: 'audit-via',
  statements: ["ALTER TABLE weir_audit_entries ADD COLUMN via text NOT NULL DEFAULT 'api'"],
};
