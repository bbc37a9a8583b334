import {
  readTableRemovalTask,
  readTableTask,
  type TableRemovalTask,
  type TableState,
  type TablesPort,
  type TablesReport,
  type TableTask,
  tableIngestionKind,
  tableMaintenanceKind,
  tableRemovalKind,
  tableReplayKind,
  tablesReports,
} from '@weir/cluster';
import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock, Log, LogFields, LogLevel, Metrics } from '@weir/core';
import type { StoreOperation } from '@weir/storage';
import type { TableBucket, TableEventMessage, TablesHost } from '@weir/tables/process';
import { type JobContext, type JobKind, NeedsOperator } from '../job-kind.ts';
import { countTopic, tableRows } from './table-metrics.ts';

export type { TableBucket } from '@weir/tables/process';

/** Something that happened to a table. */
export interface TableLine {
  readonly tableName: string;
  readonly tableUuid: string;
  /** What writes it; absent if the table was deleted. */
  readonly pipeline: { readonly id: string; readonly name: string } | undefined;
  readonly type: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

interface TableJobsOptions {
  readonly port: Pick<TablesPort, 'reportTables'>;
  readonly agentId: string;
  readonly bucket: TableBucket;
  readonly tenantAccess: TenantAccess;
  readonly onLine: (line: TableLine) => void;
  readonly onRequests: (bucket: string, operation: StoreOperation, count: number) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Tests have a process of their own. */
  readonly host?: JobsHost | undefined;
}

type JobsHost = Pick<TablesHost, 'ingest' | 'maintain' | 'replay' | 'remove' | 'ask' | 'end'>;
type Work = (host: JobsHost, context: JobContext) => Promise<string>;

/** The jobs of the tables of a data lake. They run in a process of their own, which is started with the first. */
export class TableJobs {
  readonly ingestion: JobKind;
  readonly maintenance: JobKind;
  readonly replay: JobKind;
  readonly removal: JobKind;
  readonly #options: TableJobsOptions;
  /** By table: what is written ends before another configuration of it begins. */
  readonly #ingesting = new Map<string, Promise<unknown>>();
  /** What is known of the tables that are written. */
  readonly #states = new Map<string, TableState>();
  #host: Promise<JobsHost> | undefined;

  constructor(options: TableJobsOptions) {
    this.#options = options;
    this.#host = options.host && Promise.resolve(options.host);
    const category = 'tableflow';
    this.ingestion = {
      kind: tableIngestionKind,
      category,
      isLasting: true,
      run: (bytes, context) => this.#ingest(readTableTask(bytes), context),
    };
    this.maintenance = {
      kind: tableMaintenanceKind,
      category,
      run: (bytes, context) => {
        const task = readTableTask(bytes);
        const onEvent = this.#sayOf(task);
        return this.#work(context, (host, { signal }) => host.maintain(task, { signal, onEvent }));
      },
    };
    this.replay = {
      kind: tableReplayKind,
      category,
      run: (bytes, context) => {
        const task = readTableTask(bytes);
        const onEvent = this.#sayOf(task);
        return this.#work(context, (host, { signal }) => host.replay(task, { signal, onEvent }));
      },
    };
    this.removal = {
      kind: tableRemovalKind,
      category,
      run: (bytes, context) => {
        const task = readTableRemovalTask(bytes);
        return this.#work(context, (host, { signal }) => this.#remove(host, task, signal));
      },
    };
  }

  /** What is known of the tables that this agent writes. */
  states(): readonly TableState[] {
    return [...this.#states.values()];
  }

  /** Answers a question about tables, as JSON. */
  async answer(
    question: string,
    limits: { readonly signal: AbortSignal; readonly limitMs: number },
  ): Promise<string> {
    this.#host ??= this.#start();
    return (await this.#host).ask(question, limits);
  }

  /** Ends the process, when no job runs any more. */
  async end(): Promise<void> {
    await (await this.#host)?.end();
  }

  async #ingest(task: TableTask, context: JobContext): Promise<string> {
    const { tableUuid } = task;
    const before = this.#ingesting.get(tableUuid);
    const mine = Promise.resolve(before)
      .catch(() => undefined)
      .then(() => this.#work(context, (host) => this.#write(host, task, context)));
    this.#ingesting.set(tableUuid, mine);
    try {
      return await mine;
    } finally {
      if (this.#ingesting.get(tableUuid) === mine) {
        this.#ingesting.delete(tableUuid);
        this.#states.delete(tableUuid);
      }
    }
  }

  async #write(host: JobsHost, task: TableTask, { signal, progress }: JobContext): Promise<string> {
    const { tableUuid } = task;
    const say = this.#sayOf(task);
    try {
      const done = await host.ingest(task, {
        signal,
        onEvent: (event) => {
          say(event);
          progress(this.#states.get(tableUuid)?.rowCount ?? 0);
        },
      });
      // A job that had to stop is given back, not done.
      signal.throwIfAborted();
      return done;
    } catch (error) {
      if (!signal.aborted)
        this.#options.onLine({
          ...namesOf(task),
          type: 'ingestion_failed',
          level: 'error',
          message: (error as Error).message,
          fields: {},
        });
      throw error;
    }
  }

  async #remove(host: JobsHost, task: TableRemovalTask, signal: AbortSignal): Promise<string> {
    const { tableName, tableUuid } = task;
    const done = await host.remove(task, { signal });
    this.#options.onLine({
      tableName,
      tableUuid,
      pipeline: undefined,
      type: 'table_deleted',
      level: 'info',
      message: done,
      fields: {},
    });
    return done;
  }

  #sayOf(task: TableTask): (event: TableEventMessage) => void {
    return ({ type, isError, message, partition, offset }) =>
      this.#options.onLine({
        ...namesOf(task),
        type,
        level: isError ? 'warn' : 'info',
        message,
        fields: {
          ...(partition === undefined ? {} : { partition }),
          ...(offset === undefined ? {} : { offset }),
        },
      });
  }

  async #work(context: JobContext, work: Work): Promise<string> {
    // Loaded on demand: most agents have no tables.
    const { TableWorkFailed } = await import('@weir/tables/process');
    this.#host ??= this.#start();
    try {
      return await work(await this.#host, context);
    } catch (error) {
      throw error instanceof TableWorkFailed && error.needsOperator
        ? new NeedsOperator(error.message)
        : error;
    }
  }

  async #start(): Promise<JobsHost> {
    const { TablesHost } = await import('@weir/tables/process');
    const { bucket, tenantAccess, onRequests, clock, log, metrics } = this.#options;
    return new TablesHost({
      settings: {
        bucket,
        variables: tenantAccess.variables.all(),
        allowedHosts: tenantAccess.hosts.entries,
      },
      onStates: (tables) => this.#report(tables),
      onReplays: (replays) => this.#send({ agentId: this.#options.agentId, tables: [], replays }),
      onCounts: (counts) => {
        for (const one of counts) countTopic(metrics, one);
      },
      onVerified: (outcome) => metrics.series(tableRows.verified, { outcome }).add(1),
      onRequests,
      clock,
      log: log.with({ module: 'tables' }),
    });
  }

  /** The process reports all tables at the interval at which the leader wants them. */
  #report(tables: readonly TableState[]): void {
    for (const table of tables) this.#states.set(table.tableUuid, table);
    for (const report of tablesReports(this.#options.agentId, tables)) this.#send(report);
  }

  #send(report: TablesReport): void {
    const { port, log } = this.#options;
    port.reportTables(report).catch((error: unknown) => {
      log.debug('failed to report tables', { error: String(error) });
    });
  }
}

function namesOf({ tableName, tableUuid, pipelineId, pipelineName }: TableTask) {
  return { tableName, tableUuid, pipeline: { id: pipelineId, name: pipelineName } };
}
