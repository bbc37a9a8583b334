import { type ShutdownLockRequest, shutdownLeaseMs } from '@weir/cluster';
import { type Clock, coreLimits } from '@weir/core';

interface Held {
  readonly agentId: string;
  readonly untilMs: number;
}

/**
 * The agent of each group that is shutting down. Soft state of the leader, held for a lease: an agent that dies while
 * it shuts down does not block the others.
 *
 * A new leader does not know the holders. For the duration of one lease it grants locks only to agents that claim to
 * hold one.
 */
export class ShutdownLocks {
  readonly #clock: Clock;
  readonly #givesFromMs: number;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#givesFromMs = clock.monotonicMs() + shutdownLeaseMs;
  }

  /** Returns whether the agent has the lock of its group now. */
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
