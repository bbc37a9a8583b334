import type { ClusterView, DamageRegistry, ReadPath } from '@weir/broker';
import {
  type PreflightQuestion,
  type ProduceRecordQuery,
  type ReadRecordsQuery,
  readBoundaryQuery,
  readPreflightQuestion,
  readRecordQuery,
  readTableQuestion,
} from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { Answering } from './answering.ts';
import { findBoundaries } from './batch-boundaries.ts';
import { CpuShare } from './cpu-share.ts';
import { AgentEventSource } from './event-source.ts';
import { type QueryMetrics, queryMetrics } from './query-metrics.ts';
import { type AnswerOptions, QueryRefused, QueryRunner } from './query-runner.ts';
import { RangeReader } from './range-reader.ts';
import { SidecarJob } from './sidecar-job.ts';
import { SidecarShelf } from './sidecar-shelf.ts';

/** Answers queries for records. */
interface RecordQueries {
  /** Returns the answer as JSON, refusals included. */
  answer(query: ReadRecordsQuery | ProduceRecordQuery, limits: AnswerOptions): Promise<string>;
}

/** Answers questions about tables. */
interface TableAnswers {
  /** JSON to JSON, refusals included. */
  answer(question: string, limits: AnswerOptions): Promise<string>;
}

/** Answers what a migration would do. */
interface MigrationAnswers {
  /** Returns the answer as JSON, refusals included. */
  answer(question: PreflightQuestion, limits: AnswerOptions): Promise<string>;
}

interface QueryServiceOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly view: ClusterView;
  readonly store: ObjectStore;
  readonly readPath: Pick<ReadPath, 'inMemory' | 'searchBatches'>;
  readonly damage?: Pick<DamageRegistry, 'found'>;
  /** Whether this agent answers queries. */
  readonly answersQueries: boolean;
  /** Loads what answers queries for records. Without it they are refused. */
  readonly loadRecordQueries?: () => Promise<RecordQueries>;
  /** What answers questions about tables. Without it they are refused. */
  readonly tableQuestions?: TableAnswers | undefined;
  /** Loads what answers questions about migrations. Without it they are refused. */
  readonly loadMigrationQuestions?: (() => Promise<MigrationAnswers>) | undefined;
  /** Whether this agent writes sidecars while it holds that job, so that queries read less. */
  readonly writesSidecars: boolean;
  /** Whether it deletes sidecars whose events are gone. */
  readonly deletesFiles?: boolean;
  readonly cpuCount: number;
  /** How busy the processor is, from 0 to 1. */
  readonly cpuLoad: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * What queries may take of a processor in the serving thread, where records are decompressed, and what they may take
 * while the processor is busy. Scanning of records has threads of its own, half as many as there are processors, with
 * lower priority.
 */
const usualShare = 0.5;
const busyShare = 0.1;
const busyCpuLoad = 0.75;

/** An agent's part in queries: answers those about events, batches and records, and writes sidecars for later ones. */
export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #stats: QueryMetrics;
  readonly #source: AgentEventSource;
  readonly #runner: QueryRunner | undefined;
  readonly #sidecars: SidecarJob | undefined;
  #answering: Promise<Answering> | undefined;
  #recordQueries: Promise<RecordQueries> | undefined;

  constructor(options: QueryServiceOptions) {
    const { view, clock, cpuLoad, metrics } = options;
    this.#options = options;
    this.#stats = queryMetrics(metrics);
    const share = () => (cpuLoad() > busyCpuLoad ? busyShare : usualShare);
    const turns = new CpuShare({ clock, share });
    const shelf = new SidecarShelf(options);
    const { port } = view;
    this.#source = new AgentEventSource({
      view,
      ranges: new RangeReader(options),
      sidecars: shelf,
      turns,
      ...(options.damage === undefined ? {} : { damage: options.damage }),
    });
    this.#sidecars = options.writesSidecars
      ? new SidecarJob({
          ...options,
          deletesFiles: options.deletesFiles ?? true,
          port,
          source: this.#source,
          shelf,
        })
      : undefined;
    this.#runner = options.answersQueries
      ? new QueryRunner({
          ...options,
          port,
          stats: this.#stats,
          answer: (request, limits) => this.#answer(request, limits),
        })
      : undefined;
  }

  start(): void {
    this.#runner?.start();
    this.#sidecars?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#runner?.stop(), this.#sidecars?.stop()]);
    await (await this.#answering)?.end();
  }

  async #answer(text: string, limits: AnswerOptions): Promise<string> {
    const query: unknown = JSON.parse(text);
    const records = readRecordQuery(query);
    if (records !== undefined) {
      this.#recordQueries ??= this.#options.loadRecordQueries?.();
      const queries = await this.#recordQueries;
      if (queries !== undefined) return await queries.answer(records, limits);
    }
    if (readTableQuestion(query) !== undefined) {
      const { tableQuestions } = this.#options;
      if (tableQuestions === undefined)
        throw new QueryRefused('the agent has no tables; only agents of data lake clusters do');
      return await tableQuestions.answer(text, limits);
    }
    const question = readPreflightQuestion(query);
    if (question !== undefined) {
      const questions = await this.#options.loadMigrationQuestions?.();
      if (questions === undefined)
        throw new QueryRefused('the agent runs no migrations; only agents of Kafka clusters do');
      return await questions.answer(question, limits);
    }
    const boundaries = readBoundaryQuery(query);
    if (boundaries === undefined) return (await this.#loaded()).answer(text, limits);
    return JSON.stringify(await findBoundaries(this.#options.readPath, boundaries, limits.signal));
  }

  /** The engine is loaded for the first query about events, because most processes never run one. */
  #loaded(): Promise<Answering> {
    this.#answering ??= this.#load();
    return this.#answering;
  }

  async #load(): Promise<Answering> {
    const { Answering: Engine } = await import('./answering.ts');
    return new Engine({ ...this.#options, source: this.#source, stats: this.#stats });
  }
}
