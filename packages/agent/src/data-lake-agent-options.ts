import type { TableState } from '@weir/cluster';
import type { Route } from '@weir/http';
import type { TableBucket } from '@weir/jobs';
import type { AgentContext } from './agent-context.ts';
import type { AgentOptions, RunningAgent } from './agent-options.ts';

/** What an agent needs that writes tables and serves no records. */
export interface DataLakeAgentOptions
  extends Omit<
    AgentOptions,
    | 'kafkaPort'
    | 'registry'
    | 'schemas'
    | 'proxyProtocol'
    | 'zoneOfAddress'
    | 'impersonation'
    | 'pipelineBytesPerCpu'
    | 'logIntakeDefaultTopic'
    | 'servingThreads'
  > {
  readonly tables: TableSettings;
}

interface TableSettings {
  /** Where tables are stored, and how another process opens that. */
  readonly bucket: TableBucket;
  /** The port of the listener that shows the tables of this agent; if absent, its HTTP listener does. */
  readonly httpPort?: number | undefined;
}

export interface RunningDataLakeAgent extends Pick<RunningAgent, 'httpPort' | 'internalPort' | 'stop'> {
  /** Where the tables of this agent are shown. */
  readonly tablesPort: number;
}

/** What components of such an agent have before others provide more. */
export interface DataLakeAgentContext extends AgentContext {
  readonly tableSettings: TableSettings;
  /** What the tables of this agent are shown by. Its answer is empty until they are written. */
  readonly shownTables: ShownTables;
  /** Those of the HTTP listener, if it shows tables. */
  readonly furtherRoutes: readonly Route[];
}

export interface ShownTables {
  list: () => readonly TableState[];
}
