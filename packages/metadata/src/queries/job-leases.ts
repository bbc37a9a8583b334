import { type JobHold, jobLeaseMs } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';

interface Held {
  readonly agentId: string;
  readonly untilMs: number;
}

/**
 * The agent of each job that one agent at a time does for the cluster. Soft state of the leader, held for a lease, so
 * that the job of an agent that dies goes to another.
 *
 * A new leader does not know the holders. For the duration of one lease it grants jobs only to agents that claim to
 * hold one.
 */
export class JobLeases {
  readonly #clock: Clock;
  readonly #givesFromMs: number;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#givesFromMs = clock.monotonicMs() + jobLeaseMs;
  }

  /** Returns whether the agent has the job now. */
  hold({ agentId, job, hasIt }: JobHold): boolean {
    const nowMs = this.#clock.monotonicMs();
    for (const [name, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(name);
    const holder = this.#held.get(job)?.agentId;
    if (holder !== undefined && holder !== agentId) return false;
    if (holder === undefined) {
      if (!hasIt && nowMs < this.#givesFromMs) return false;
      if (this.#held.size >= metadataLimits.jobLeasesMax) return false;
    }
    this.#held.set(job, { agentId, untilMs: nowMs + jobLeaseMs });
    return true;
  }

  /** Releases the jobs of an agent that left. */
  forget(agentId: string): void {
    for (const [job, held] of this.#held) if (held.agentId === agentId) this.#held.delete(job);
  }
}
