import type { Migration } from './migration.ts';

/** Refused calls of one kind within a minute are one entry with a count. */
export const auditCounts: Migration = {
  number: 5,
  name: 'audit-counts',
  statements: ['ALTER TABLE weir_audit_entries ADD COLUMN occurrences integer NOT NULL DEFAULT 1'],
};
