import { type ShutdownLockRequest, shutdownLeaseMs } from '@weir/cluster';
import { type Clock, coreLimits } from '@weir/core';

interface Held {
  readonly agentId: string;
  readonly untilMs: number;
}

/**
 * Which agent of each group is shutting down. Soft state of the leader, held for a lease: an agent that dies while it shuts down
 * does not keep the others from it.
 *
 * A new leader does not know who had a lock. For the time of one lease it gives none to those who ask for it, so that those who
 * have one can say so.
 */
export class ShutdownLocks {
  readonly #clock: Clock;
  readonly #givesFromMs: number;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#givesFromMs = clock.monotonicMs() + shutdownLeaseMs;
  }

  /** Says whether the agent has the lock of its group now. */
  lock({ agentId, group, hasIt }: ShutdownLockRequest): boolean {
    const nowMs = this.#clock.monotonicMs();
    for (const [name, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(name);
    const holder = this.#held.get(group)?.agentId;
    if (holder !== undefined && holder !== agentId) return false;
    if (holder === undefined) {
      if (!hasIt && nowMs < this.#givesFromMs) return false;
      if (this.#held.size >= coreLimits.agentsPerClusterMax) return false;
    }
    this.#held.set(group, { agentId, untilMs: nowMs + shutdownLeaseMs });
    return true;
  }

  unlock(agentId: string): void {
    for (const [group, held] of this.#held) if (held.agentId === agentId) this.#held.delete(group);
  }
}
