import type { Clock, Log, Metrics } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { ReadPath } from '../read-path/read-path.ts';
import {
  createWorkerPool,
  type Evaluator,
  QueryCache,
  type QueryRequest,
  readQueryRequest,
  runQuery,
  type WorkerPool,
} from './engine.ts';
import { AgentEventSource } from './event-source.ts';
import { type QueryFigures, queryFigures } from './query-metrics.ts';
import { type AnswerOptions, QueryRefused, QueryRunner } from './query-runner.ts';
import { RangeReader } from './range-reader.ts';
import { SidecarJob } from './sidecar-job.ts';
import { SidecarShelf } from './sidecar-shelf.ts';
import { WorkTurns } from './work-turns.ts';

export interface QueryServiceOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly view: ClusterView;
  readonly store: ObjectStore;
  readonly readPath: Pick<ReadPath, 'inMemory'>;
  /** Whether it works on queries. */
  readonly answersQueries: boolean;
  /** Whether it writes sidecars when it is its turn, so that whoever answers reads less. */
  readonly writesSidecars: boolean;
  readonly cpuCount: number;
  /** How busy the processor is, from 0 to 1. */
  readonly cpuLoad: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * What queries may take of a processor in the thread of clients, where records are unpacked, and what is left of it when these need it. What looks
 * into records has threads of its own, half as many as there are processors, which wait for all others.
 */
const usualShare = 0.5;
const busyShare = 0.1;
const busyCpuLoad = 0.75;

/** What an agent does about questions to its cluster's events: it answers them, and prepares for those that will come. */
export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #figures: QueryFigures;
  readonly #source: AgentEventSource;
  readonly #threads: WorkerPool;
  readonly #evaluator: Evaluator;
  readonly #cache = new QueryCache();
  readonly #runner: QueryRunner | undefined;
  readonly #sidecars: SidecarJob | undefined;

  constructor(options: QueryServiceOptions) {
    const { view, clock, cpuLoad, metrics } = options;
    this.#options = options;
    this.#figures = queryFigures(metrics);
    const share = () => (cpuLoad() > busyCpuLoad ? busyShare : usualShare);
    const turns = new WorkTurns({ clock, share });
    const shelf = new SidecarShelf(options);
    const { port } = view;
    this.#source = new AgentEventSource({ view, ranges: new RangeReader(options), sidecars: shelf, turns });
    this.#threads = createWorkerPool({ clock, size: Math.max(1, Math.floor(options.cpuCount / 2)) });
    this.#evaluator = counting(this.#threads, this.#figures);
    this.#sidecars = options.writesSidecars
      ? new SidecarJob({ ...options, port, source: this.#source, shelf })
      : undefined;
    this.#runner = options.answersQueries
      ? new QueryRunner({
          ...options,
          port,
          figures: this.#figures,
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
    await this.#threads.end();
  }

  async #answer(text: string, { signal, limitMs }: AnswerOptions): Promise<string> {
    const { clock, log } = this.#options;
    const request = readRequest(text);
    this.#figures.started.add(1);
    const answer = await runQuery(request, this.#source, {
      clock,
      signal,
      budget: { ms: limitMs },
      evaluator: this.#evaluator,
      cache: this.#cache,
      onProblem: (error) => log.warn('a sidecar could not be read', { problem: error.message }),
    });
    return JSON.stringify(answer);
  }
}

/** The evaluator, counted. Parts wait where more come than there are threads. */
function counting(evaluator: Evaluator, figures: QueryFigures): Evaluator {
  const { parallelism } = evaluator;
  const scan = async (...part: Parameters<Evaluator['scan']>) => {
    figures.queued.add(1);
    figures.runnable.add(1);
    try {
      return await evaluator.scan(...part);
    } finally {
      figures.runnable.add(-1);
      figures.executed.add(1);
    }
  };
  return { parallelism, scan: scan as Evaluator['scan'] };
}

/** The control plane has checked what it asks; one of another release may ask for more than this engine knows. */
function readRequest(text: string): QueryRequest {
  try {
    return readQueryRequest(JSON.parse(text));
  } catch (error) {
    throw new QueryRefused((error as Error).message);
  }
}
