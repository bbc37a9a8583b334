/** Configurations of tables: what they may say, and what the tables are. It does not load DuckDB. */
export type { TableConfiguration, TableDefinition } from '../table-definition.ts';
export { nameInCatalog, parseCatalog } from './catalog-fields.ts';
export { tableNameOf } from './configuration-names.ts';
export { tablesConfiguration } from './configuration-schema.ts';
export { openTableRegistry } from './open-registry.ts';
export { type DefinitionsReading, readDefinitions } from './read-definitions.ts';
export { SchemaRefused } from './source-schema.ts';
