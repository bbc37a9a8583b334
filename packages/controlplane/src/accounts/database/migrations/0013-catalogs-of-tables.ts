import type { Migration } from './migration.ts';

/** What a table's configuration says about its catalog, for questions and for the removal of the table. */
export const catalogsOfTables: Migration = {
  number: 13,
  name: 'catalogs_of_tables',
  statements: ['ALTER TABLE weir_tables ADD COLUMN catalog text'],
};
