import type { Clock, Log } from '@weir/core';
import {
  createWorkerPool,
  type Evaluator,
  type EventSource,
  QueryCache,
  type QueryRequest,
  readQueryRequest,
  runQuery,
  type WorkerPool,
} from './engine.ts';
import type { QueryMetrics } from './query-metrics.ts';
import { type AnswerOptions, QueryRefused } from './query-runner.ts';

interface AnsweringOptions {
  readonly source: EventSource;
  readonly stats: QueryMetrics;
  readonly cpuCount: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs queries with the engine, in its own threads: half as many as there are processors. */
export class Answering {
  readonly #options: AnsweringOptions;
  readonly #threads: WorkerPool;
  readonly #evaluator: Evaluator;
  readonly #cache = new QueryCache();

  constructor(options: AnsweringOptions) {
    const { clock, cpuCount, stats } = options;
    this.#options = options;
    this.#threads = createWorkerPool({ clock, size: Math.max(1, Math.floor(cpuCount / 2)) });
    this.#evaluator = counting(this.#threads, stats);
  }

  async answer(text: string, { signal, limitMs }: AnswerOptions): Promise<string> {
    const { source, stats, clock, log } = this.#options;
    const request = readRequest(text);
    stats.started.add(1);
    const answer = await runQuery(request, source, {
      clock,
      signal,
      budget: { ms: limitMs },
      evaluator: this.#evaluator,
      cache: this.#cache,
      onProblem: (error) => log.warn('failed to read sidecar', { error: error.message }),
    });
    return JSON.stringify(answer);
  }

  end(): Promise<void> {
    return this.#threads.end();
  }
}

/** Wraps the evaluator with metrics. Parts wait if there are more of them than threads. */
function counting(evaluator: Evaluator, stats: QueryMetrics): Evaluator {
  const { parallelism } = evaluator;
  const scan = async (...part: Parameters<Evaluator['scan']>) => {
    stats.queued.add(1);
    stats.runnable.add(1);
    try {
      return await evaluator.scan(...part);
    } finally {
      stats.runnable.add(-1);
      stats.executed.add(1);
    }
  };
  return { parallelism, scan: scan as Evaluator['scan'] };
}

/**
 * The control plane has validated the request; one of another release may use features that this engine does not know.
 */
function readRequest(text: string): QueryRequest {
  try {
    return readQueryRequest(JSON.parse(text));
  } catch (error) {
    throw new QueryRefused((error as Error).message);
  }
}
