import type { ClaimedJob, JobClaim } from '@weir/cluster';
import { type Clock, coreLimits } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import { isBefore, type KnownAgents } from '../queries/engines.ts';

interface JobAgent {
  /** What it takes, as of its last claim. */
  kinds: ReadonlySet<string>;
  pausedKinds: ReadonlySet<string>;
  readonly running: Set<string>;
  seenMs: number;
  waiting: WaitingClaim | undefined;
}

interface WaitingClaim {
  readonly slots: number;
  /** Jobs that it is about to get. */
  readonly jobs: ClaimedJob[];
  readonly answer: () => void;
}

/** An agent whose slots are all taken does not claim; its reports show that it is there. */
const absenceMsMax = 60_000;

/** The agents that claim jobs. */
export class JobAgents {
  readonly #clock: Clock;
  readonly #known: KnownAgents;
  readonly #agents = new Map<string, JobAgent>();

  constructor(clock: Clock, known: KnownAgents) {
    this.#clock = clock;
    this.#known = known;
  }

  /** Waits for jobs for an agent. An earlier claim of it, whose connection is gone, ends without any. */
  wait({ agentId, kinds, pausedKinds = [], slots, waitMs }: JobClaim): Promise<readonly ClaimedJob[]> {
    const known = this.#agents.get(agentId);
    if (known === undefined && this.#agents.size >= coreLimits.agentsPerClusterMax)
      return Promise.resolve([]);
    const agent = known ?? {
      kinds: new Set(),
      pausedKinds: new Set(),
      running: new Set(),
      seenMs: 0,
      waiting: undefined,
    };
    agent.waiting?.answer();
    agent.kinds = new Set(kinds.slice(0, metadataLimits.jobKindsPerClaimMax));
    agent.pausedKinds = new Set(pausedKinds.slice(0, metadataLimits.jobKindsPerClaimMax));
    agent.seenMs = this.#clock.monotonicMs();
    this.#agents.set(agentId, agent);
    return new Promise((resolve) => {
      const jobs: ClaimedJob[] = [];
      const answer = () => {
        cancel();
        agent.waiting = undefined;
        agent.seenMs = this.#clock.monotonicMs();
        resolve(jobs);
      };
      const longestMs = Math.min(Math.max(waitMs, 0), metadataLimits.jobWaitMsMax);
      const cancel = this.#clock.after(longestMs, answer);
      agent.waiting = { slots: Math.min(slots, metadataLimits.jobsPerClaimMax), jobs, answer };
    });
  }

  /** Chooses the agent for a job: one that waits, did not fail at it before, and has the least to do. */
  choose(kind: string, triedBy: ReadonlySet<string>): string | undefined {
    let best: { readonly agentId: string; readonly rank: readonly number[] } | undefined;
    for (const [agentId, { kinds, running, waiting }] of this.#agents) {
      const cpuLoad = this.#known.cpuLoadOf(agentId);
      if (waiting === undefined || cpuLoad === undefined || !kinds.has(kind)) continue;
      if (waiting.jobs.length >= waiting.slots) continue;
      const rank = [triedBy.has(agentId) ? 1 : 0, running.size, cpuLoad];
      if (best === undefined || isBefore(rank, best.rank)) best = { agentId, rank };
    }
    return best?.agentId;
  }

  give(agentId: string, job: ClaimedJob): void {
    const agent = this.#agents.get(agentId)!;
    agent.running.add(job.jobId);
    agent.waiting!.jobs.push(job);
  }

  /** Answers the claims that got jobs. */
  release(): void {
    for (const { waiting } of this.#agents.values())
      if (waiting !== undefined && waiting.jobs.length > 0) waiting.answer();
  }

  free(agentId: string, jobId: string): void {
    this.#agents.get(agentId)?.running.delete(jobId);
  }

  isAlive(agentId: string): boolean {
    return this.#known.cpuLoadOf(agentId) !== undefined;
  }

  takersOf(kind: string): { readonly agentCount: number; readonly pausedCount: number } {
    let [agentCount, pausedCount] = [0, 0];
    for (const [agentId, { kinds, pausedKinds }] of this.#agents) {
      if (!this.isAlive(agentId)) continue;
      if (kinds.has(kind)) agentCount++;
      else if (pausedKinds.has(kind)) pausedCount++;
    }
    return { agentCount, pausedCount };
  }

  forget(agentId: string): void {
    const waiting = this.#agents.get(agentId)?.waiting;
    this.#agents.delete(agentId);
    waiting?.answer();
  }

  /** Drops agents that are gone. Their jobs end with their leases. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [agentId, { waiting, running, seenMs }] of this.#agents) {
      const isAbsent = waiting === undefined && running.size === 0 && nowMs - seenMs > absenceMsMax;
      if (isAbsent || !this.isAlive(agentId)) this.forget(agentId);
    }
  }

  close(): void {
    for (const agentId of [...this.#agents.keys()]) this.forget(agentId);
  }
}
