import { reportPatiently, retryMs } from '@weir/broker';
import { type ClaimedQuery, type QueriesPort, type QueryReport, queryReportIntervalMs } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, type Log, pauseUnlessStopped } from '@weir/core';
import type { QueryMetrics } from './query-metrics.ts';

/** A request that no agent can answer. Its message is for the caller of the query. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
}

export interface AnswerOptions {
  readonly signal: AbortSignal;
  /** After this time the query ends with what was found. */
  readonly limitMs: number;
}

interface QueryRunnerOptions {
  readonly port: Pick<QueriesPort, 'takeQuery' | 'reportQuery'>;
  readonly agentId: string;
  /** The engine: JSON to JSON. Throws a `QueryRefused` for a request that it does not understand. */
  readonly answer: (request: string, options: AnswerOptions) => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  readonly stats: QueryMetrics;
}

/** How long one poll waits for work: shorter than the deadline of the call. */
export const queryWaitMs = 50_000;
/** Time that an answer needs to get back to the caller. */
const returnMs = 500;
/** How often an answer is sent if the control plane does not confirm it. */
const sendsMax = 3;

/**
 * Polls the control plane for queries and runs several at a time. It reports each of them every second, and the
 * response says whether the query is still wanted.
 */
export class QueryRunner {
  readonly #options: QueryRunnerOptions;
  readonly #running = new Map<AbortController, Promise<void>>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: QueryRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#live();
  }

  /** Gives up running queries, so that other agents can start them at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const controller of this.#running.keys()) controller.abort();
    await Promise.all(this.#running.values());
  }

  async #live(): Promise<void> {
    const { port, agentId, clock, log, stats } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (this.#running.size >= clusterLimits.queriesPerAgentMax) {
        stats.limitHit.add(1);
        await Promise.race(this.#running.values());
        continue;
      }
      try {
        const query = await port.takeQuery({ agentId, waitMs: queryWaitMs });
        if (query !== null) this.#begin(query);
      } catch (error) {
        log.debug('failed to poll for queries', { error: String(error) });
        await pauseUnlessStopped(clock, retryMs, signal);
      }
    }
  }

  #begin(query: ClaimedQuery): void {
    const { stats } = this.#options;
    const controller = new AbortController();
    if (this.#stopping.signal.aborted) controller.abort();
    stats.taken.add(1);
    stats.active.set(this.#running.size + 1);
    const work = this.#work(query, controller).finally(() => {
      this.#running.delete(controller);
      stats.active.set(this.#running.size);
    });
    this.#running.set(controller, work);
  }

  async #work({ queryId, request, limitMs }: ClaimedQuery, controller: AbortController): Promise<void> {
    const { clock, stats, agentId, answer } = this.#options;
    const startMs = clock.monotonicMs();
    const stopNotifying = this.#reportWhileRunning(queryId, controller);
    let end: Pick<QueryReport, 'state' | 'answer' | 'message'>;
    try {
      const text = await answer(Buffer.from(request).toString(), {
        signal: controller.signal,
        limitMs: Math.max(0, limitMs - returnMs),
      });
      end = { state: 'done', answer: Buffer.from(text), message: '' };
    } catch (error) {
      end = this.#endOf(error, controller.signal);
    } finally {
      stopNotifying();
    }
    stats.ended(end.state, clock.monotonicMs() - startMs);
    await this.#send({ agentId, queryId, ...end });
  }

  #endOf(error: unknown, signal: AbortSignal): Pick<QueryReport, 'state' | 'answer' | 'message'> {
    // If the query is no longer wanted, the report does not matter; if this agent stops, another agent runs the query.
    if (signal.aborted) return { state: 'givenUp', answer: null, message: '' };
    const { message } = error as Error;
    if (!(error instanceof QueryRefused))
      this.#options.log.warn('failed to run event query', { error: message });
    return { state: 'failed', answer: null, message };
  }

  #reportWhileRunning(queryId: string, controller: AbortController): () => void {
    const { clock, port, agentId, log } = this.#options;
    const report: QueryReport = { agentId, queryId, state: 'running', answer: null, message: '' };
    let cancel = () => {};
    const schedule = () => {
      cancel = clock.after(queryReportIntervalMs, () => {
        port.reportQuery(report).then(
          (isWanted) => {
            if (!isWanted) controller.abort();
          },
          (error) => log.debug('failed to report query progress', { error: String(error) }),
        );
        schedule();
      });
    };
    schedule();
    return () => cancel();
  }

  async #send(report: QueryReport): Promise<void> {
    const { port, log } = this.#options;
    const error = await reportPatiently(() => port.reportQuery(report), sendsMax, this.#patience);
    if (error !== undefined) log.debug('failed to deliver query result', { error: String(error) });
  }

  get #patience() {
    return { clock: this.#options.clock, stop: this.#stopping.signal };
  }
}
