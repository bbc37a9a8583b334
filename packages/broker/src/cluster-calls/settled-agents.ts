import { takenOverGraceMs } from '@weir/cluster';
import { type Clock, nextTurn } from '@weir/core';
import type { Apis } from '@weir/wire';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { ifAvailable } from './if-available.ts';

/** A client that connected longer ago than this knows the cluster, and asks because something may have changed. */
const newClientMs = 1_000;
/** The leader sees the end of an agent's connections in this time, unless it is busy. */
const settleMs = 10;
/**
 * A leader that does not answer in this time is not waited for: the view is what there is. When a leader dies, the next
 * one is there in this time.
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
  #asking: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Wraps the handler of the first request to note when the connection began. */
  noting(handler: HandlerOf<Apis['ApiVersions']>): HandlerOf<Apis['ApiVersions']> {
    return (request, context) => {
      this.#ageMs(context);
      return handler(request, context);
    };
  }

  /** Returns when the view has the agents as they were when the client asked; `undefined` if it need not wait. */
  settle(context: RequestContext): Promise<void> | undefined {
    const { cluster } = context;
    if (this.#ageMs(context) < newClientMs || cluster.agents().length < 2) return undefined;
    // Then the agent finds out by itself which others there are.
    if (cluster.isLeaderless()) return undefined;
    return this.#settled(context);
  }

  async #settled(context: RequestContext): Promise<void> {
    const { clock, cluster } = context;
    await passed(clock, settleMs);
    await this.#ask(context);
    const knownMs = cluster.leaderSinceMs() + takenOverGraceMs(cluster.agents().length) + publishMs;
    const leftMs = knownMs - clock.monotonicMs();
    if (leftMs <= 0) return;
    await passed(clock, leftMs);
    await this.#ask(context);
  }

  #ageMs({ closed, clock }: RequestContext): number {
    const nowMs = clock.monotonicMs();
    const connectedMs = this.#connectedMs.get(closed);
    if (connectedMs === undefined) this.#connectedMs.set(closed, nowMs);
    return nowMs - (connectedMs ?? nowMs);
  }

  /** Clients that ask at the same time share a call that begins after them. */
  #ask(context: RequestContext): Promise<void> {
    this.#next ??= this.#asking.then(async () => {
      await nextTurn(context.clock);
      this.#next = undefined;
      this.#asking = askLeader(context);
      return this.#asking;
    });
    return this.#next;
  }
}

async function askLeader({ cluster, clock }: RequestContext): Promise<void> {
  const asked = ifAvailable(cluster.port.describeJournal()).then(
    () => {},
    () => {},
  );
  await Promise.race([asked, passed(clock, answerMsMax)]);
}

function passed(clock: Pick<Clock, 'after'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}
