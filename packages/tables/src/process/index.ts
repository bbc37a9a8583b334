/** The process that writes tables, from the side of its agent. It loads neither DuckDB nor configurations. */
export type { TableBucket, TableEventMessage, TopicCounts } from './process-messages.ts';
export { TablesHost, TableWorkFailed } from './tables-host.ts';
