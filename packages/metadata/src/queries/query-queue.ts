import {
  type ClaimedQuery,
  NotLeader,
  type QueryOutcome,
  type QueryPoll,
  type QueryRefusal,
  type QueryReport,
  type QueryToRun,
  queryLimitMsMax,
  querySilenceMsMax,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import { Engines, type KnownAgents } from './engines.ts';
import type { QueryQueueMetrics } from './query-queue-metrics.ts';

interface QueryQueueOptions {
  readonly clock: Clock;
  readonly agents: KnownAgents;
  readonly metrics: QueryQueueMetrics;
}

/**
 *     runQuery ──▶ waiting ──an agent polls for work─▶ working ──it answers──▶ ended
 *                    ▲ │                                │ │
 *                    │ └──no engine, cancelled──▶ ended │ └──cancelled, deadline──▶ ended
 *                    └──its agent fell silent, once─────┘
 */
interface Query {
  readonly queryId: string;
  readonly request: Uint8Array;
  readonly endMs: number;
  readonly outcome: Promise<QueryOutcome>;
  readonly settle: (outcome: QueryOutcome) => void;
  readonly fail: (error: Error) => void;
  readonly triedBy: Set<string>;
  /** Since when it waits, or when the last report about it arrived. */
  sinceMs: number;
  /** The agent that works on it; `undefined` while it waits. */
  agentId: string | undefined;
  /** The partial result so far, and its agent. */
  found: { readonly agentId: string; readonly answer: Uint8Array } | undefined;
}

/** The maximum number of agents that try a query, one after the other. */
const triesMax = 2;
/** How long a query waits for the first polling agent: after a failover agents need a moment to find the new leader. */
const engineGraceMs = 3_000;
/** An engine ends by itself at the deadline; its last report needs a moment to arrive. */
const answerGraceMs = 2_000;
/** How often deadlines are checked. */
const checkIntervalMs = 250;

/**
 * The queue of event queries that wait for agents. Soft state of the leader: after a failover callers repeat their
 * query at the next leader. Every query ends, whatever happens to agents.
 */
export class QueryQueue {
  readonly #clock: Clock;
  readonly #metrics: QueryQueueMetrics;
  readonly #engines: Engines;
  /** Waiting and running queries, in order of arrival. */
  readonly #queries = new Map<string, Query>();
  #foundBytes = 0;
  #cancelCheck: (() => void) | undefined;
  #closed: Error | undefined;

  constructor({ clock, agents, metrics }: QueryQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#engines = new Engines(clock, agents);
  }

  async run({ queryId, request, limitMs }: QueryToRun): Promise<QueryOutcome> {
    if (this.#closed !== undefined) throw this.#closed;
    const known = this.#queries.get(queryId);
    if (known !== undefined) return known.outcome;
    const refused = this.#whyNot(request);
    this.#metrics.began();
    if (refused !== undefined) {
      this.#metrics.ended(refused.refusal);
      return refused;
    }
    const { promise, resolve, reject } = Promise.withResolvers<QueryOutcome>();
    const nowMs = this.#clock.monotonicMs();
    const query: Query = {
      queryId,
      request,
      endMs: nowMs + Math.min(Math.max(limitMs, 0), queryLimitMsMax),
      outcome: promise,
      settle: resolve,
      fail: reject,
      triedBy: new Set(),
      sinceMs: nowMs,
      agentId: undefined,
      found: undefined,
    };
    this.#queries.set(queryId, query);
    this.#dispatch();
    this.#scheduleCheck();
    return promise;
  }

  cancel(queryId: string): void {
    const query = this.#queries.get(queryId);
    if (query !== undefined) this.#end(query, refusal('cancelled', 'the caller disconnected'));
  }

  async take({ agentId, waitMs }: QueryPoll): Promise<ClaimedQuery | null> {
    if (this.#closed !== undefined) throw this.#closed;
    const taken = this.#engines.wait(agentId, Math.min(Math.max(waitMs, 0), metadataLimits.queryWaitMsMax));
    this.#dispatch();
    return taken;
  }

  /** Returns whether the agent should continue. */
  report({ agentId, queryId, state, answer, message }: QueryReport): boolean {
    this.#engines.noteReport(agentId);
    const query = this.#queries.get(queryId);
    if (query?.agentId !== agentId) {
      // Another agent works on it, or it has ended.
      this.#engines.free(agentId, queryId);
      return false;
    }
    query.sinceMs = this.#clock.monotonicMs();
    if (answer !== null && answer.length > metadataLimits.queryAnswerBytesMax) {
      const problem = `response of ${answer.length} bytes exceeds the limit of ${metadataLimits.queryAnswerBytesMax}`;
      this.#end(query, refusal('failed', problem));
      return false;
    }
    switch (state) {
      case 'running':
        if (answer !== null) this.#keep(query, agentId, answer);
        return true;
      case 'done':
        if (answer === null) this.#end(query, refusal('failed', 'the agent returned no response'));
        else this.#end(query, { kind: 'answered', agentId, answer, isLast: true });
        return false;
      case 'failed':
        this.#end(query, refusal('failed', message));
        return false;
      case 'givenUp':
        this.#lose(query);
        this.#dispatch();
        return false;
    }
  }

  /** Ends the term; callers and agents turn to the next leader. */
  close(reason: string): void {
    this.#closed = new NotLeader(reason, undefined);
    this.#cancelCheck?.();
    for (const query of [...this.#queries.values()]) {
      this.#forget(query);
      this.#metrics.ended('lostLeader');
      query.fail(this.#closed);
    }
    this.#engines.close();
  }

  #whyNot(request: Uint8Array): (QueryOutcome & { kind: 'refused' }) | undefined {
    if (request.length > metadataLimits.queryRequestBytesMax)
      return refusal(
        'tooLarge',
        `request of ${request.length} bytes exceeds the limit of ${metadataLimits.queryRequestBytesMax}`,
      );
    this.#engines.sweep();
    const waiting = this.#queries.values().filter(({ agentId }) => agentId === undefined);
    const waitingCount = [...waiting].length;
    const isBusy = this.#engines.count > 0 && this.#engines.freePlaces <= waitingCount;
    if (isBusy || waitingCount >= metadataLimits.queriesWaitingMax)
      return refusal(
        'tooMany',
        `${this.#queries.size} queries are running already, the limit is ${clusterLimits.queriesPerAgentMax} per agent`,
      );
    return undefined;
  }

  /** Assigns waiting queries to polling agents. */
  #dispatch(): void {
    for (const query of this.#queries.values()) {
      if (query.agentId !== undefined) continue;
      const agentId = this.#engines.choose(query.triedBy);
      if (agentId === undefined) return;
      const nowMs = this.#clock.monotonicMs();
      query.agentId = agentId;
      query.sinceMs = nowMs;
      query.triedBy.add(agentId);
      const { queryId, request, endMs } = query;
      this.#engines.give(agentId, { queryId, request, limitMs: Math.max(0, Math.floor(endMs - nowMs)) });
    }
  }

  #keep(query: Query, agentId: string, answer: Uint8Array): void {
    const bytes = this.#foundBytes + answer.length - (query.found?.answer.length ?? 0);
    // It would be needed only if the agent fell silent.
    if (bytes > metadataLimits.queryAnswersHeldBytesMax) return;
    this.#foundBytes = bytes;
    query.found = { agentId, answer };
  }

  /** Hands the query of a lost agent to another one, once. */
  #lose(query: Query): void {
    if (query.triedBy.size >= triesMax) {
      this.#endWithWhatIsFound(query, 'the agents that ran the query were lost');
      return;
    }
    this.#engines.free(query.agentId!, query.queryId);
    query.agentId = undefined;
    query.sinceMs = this.#clock.monotonicMs();
    this.#metrics.moved();
  }

  #endWithWhatIsFound(query: Query, message: string): void {
    const { found } = query;
    this.#end(
      query,
      found === undefined ? refusal('noAnswer', message) : { kind: 'answered', ...found, isLast: false },
    );
  }

  #end(query: Query, outcome: QueryOutcome): void {
    this.#forget(query);
    this.#metrics.ended(outcome.kind === 'answered' ? outcome.kind : outcome.refusal);
    query.settle(outcome);
  }

  #forget(query: Query): void {
    this.#queries.delete(query.queryId);
    if (query.agentId !== undefined) this.#engines.free(query.agentId, query.queryId);
    this.#foundBytes -= query.found?.answer.length ?? 0;
    query.found = undefined;
  }

  #scheduleCheck(): void {
    this.#cancelCheck ??= this.#clock.after(checkIntervalMs, () => {
      this.#cancelCheck = undefined;
      this.#checkQueries();
      if (this.#queries.size > 0) this.#scheduleCheck();
    });
  }

  #checkQueries(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#engines.sweep();
    for (const query of [...this.#queries.values()]) {
      const { agentId, sinceMs, endMs } = query;
      if (nowMs >= endMs + answerGraceMs) {
        this.#endWithWhatIsFound(query, 'no agent responded in time');
      } else if (agentId !== undefined) {
        const isSilent = nowMs - sinceMs > querySilenceMsMax;
        if (isSilent || !this.#engines.isAlive(agentId)) this.#lose(query);
      } else if (this.#engines.count === 0 && nowMs - sinceMs > engineGraceMs) {
        this.#end(query, refusal('noEngine', 'no agent of the cluster has a query engine'));
      }
    }
    this.#dispatch();
  }
}

function refusal(kind: QueryRefusal, message: string): QueryOutcome & { kind: 'refused' } {
  return { kind: 'refused', refusal: kind, message };
}
