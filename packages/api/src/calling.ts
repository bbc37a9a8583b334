/**
 * What calling the API takes, without the catalogue: its schemas take longer to load than a command of the command line
 * runs.
 */
export type { CallOf, OperationName, OutputOf } from './catalogue.ts';
export { type Client, createClient } from './client.ts';
export { ApiError } from './errors.ts';
export { apiKeyHeader } from './paths.ts';
export { readsByName } from './reads-by-name.ts';
