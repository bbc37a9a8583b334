import { takenOverGraceMs } from '@weir/cluster';
import { type Clock, nextTurn } from '@weir/core';
import type { Apis } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';

/** A client that connected longer ago than this knows the cluster, and asks because something may have changed. */
const newClientMs = 1_000;
/** The leader sees the end of an agent's connections in this time, unless it is busy. */
const settleMs = 10;
/**
 * A leader that does not answer a request in this time is not waited for: the view is what there is. When a leader
 * dies, the next one is there in this time.
 */
const answerMsMax = 3_000;
/** From the moment in which a new leader leaves an agent out until the others know. */
const publishMs = 50;

/**
 * A client whose agent dies asks another agent at the same moment, before that one can know. With the dead agent in the
 * answer it tries again after a pause that doubles, or a second later, and is without the agent's partitions until
 * then. So clients that are not new wait a moment, and for the leader, which publishes changes before it answers
 * (ADR 0266). If the leader has died as well, they wait for the next one, and until that one has found out which agents
 * are left.
 */
export class SettledAgents {
  readonly #connectedMs = new WeakMap<AbortSignal, number>();
  #asking: Promise<boolean> = Promise.resolve(true);
  #next: Promise<boolean> | undefined;
  #waitingCount = 0;

  /** Wraps the handler of the first request to note when the connection began. */
  noting(handler: HandlerOf<Apis['ApiVersions']>): HandlerOf<Apis['ApiVersions']> {
    return (request, context) => {
      this.#ageMs(context);
      return handler(request, context);
    };
  }

  /**
   * Resolves when the view has the agents as they were when the client asked, or to false if no leader has answered in
   * time. `undefined` if the client need not wait.
   */
  settle(context: RequestContext): Promise<boolean> | undefined {
    const { cluster } = context;
    if (this.#ageMs(context) < newClientMs || cluster.agents().length < 2) return undefined;
    // Then the agent finds out by itself which others there are.
    if (cluster.isLeaderless()) return undefined;
    if (this.#waitingCount >= brokerLimits.settlingRequestsMax) return undefined;
    this.#waitingCount++;
    return this.#settled(context).finally(() => {
      this.#waitingCount--;
    });
  }

  async #settled(context: RequestContext): Promise<boolean> {
    const { clock, cluster } = context;
    const endMs = clock.monotonicMs() + settleMs + answerMsMax;
    await passed(clock, settleMs);
    if (!(await this.#asked(context, endMs))) return false;
    const knownMs = cluster.leaderSinceMs() + takenOverGraceMs(cluster.agents().length) + publishMs;
    const nowMs = clock.monotonicMs();
    if (knownMs <= nowMs) return true;
    await passed(clock, Math.min(knownMs, endMs) - nowMs);
    return this.#asked(context, endMs);
  }

  #asked(context: RequestContext, endMs: number): Promise<boolean> {
    return answeredBy(context.clock, this.#ask(context), endMs);
  }

  #ageMs({ closed, clock }: RequestContext): number {
    const nowMs = clock.monotonicMs();
    const connectedMs = this.#connectedMs.get(closed);
    if (connectedMs === undefined) this.#connectedMs.set(closed, nowMs);
    return nowMs - (connectedMs ?? nowMs);
  }

  /** Clients that ask at the same time share a call that begins after them. */
  #ask(context: RequestContext): Promise<boolean> {
    this.#next ??= this.#asking.then(async () => {
      await nextTurn(context.clock);
      this.#next = undefined;
      this.#asking = askLeader(context);
      return this.#asking;
    });
    return this.#next;
  }
}

function askLeader({ cluster, clock }: RequestContext): Promise<boolean> {
  const asked = cluster.port.describeJournal().then(
    () => true,
    () => false,
  );
  return answeredBy(clock, asked, clock.monotonicMs() + answerMsMax);
}

/** The answer, or false at the end of the time. */
function answeredBy(clock: Clock, asked: Promise<boolean>, endMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(Math.max(0, endMs - clock.monotonicMs()), () => resolve(false));
    void asked.then((isAnswered) => {
      cancel();
      resolve(isAnswered);
    });
  });
}

function passed(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}
