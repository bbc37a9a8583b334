/** Schemas and what is wrong with them, for people. */
export { prettySchema } from './pretty-schema.ts';
export { schemaDiff } from './schema-diff.ts';
export { readViolations } from './violations.ts';
