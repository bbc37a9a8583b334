import type { ClaimedJob, JobClaim } from '@weir/cluster';
import { type Clock, coreLimits } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import { isBefore, type KnownAgents } from '../queries/engines.ts';

/** An agent that takes jobs, or one of its runners. */
interface JobTaker {
  readonly agentId: string;
  /** What it takes, as of its last claim. */
  kinds: ReadonlySet<string>;
  pausedKinds: ReadonlySet<string>;
  /** Ids of jobs, and by which word each is spread. */
  readonly running: Map<string, string | undefined>;
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
/** Background jobs, and pipelines. */
const takersPerAgentMax = 2;
const runnerCharsMax = 64;

/** A job to be given to an agent. */
interface OfferedJob {
  readonly kind: string;
  readonly triedBy: ReadonlySet<string>;
  readonly agentGroup?: string | undefined;
  readonly spreadBy?: string | undefined;
}

/** How many jobs a taker runs: all, and those that are spread by one word. */
export interface TakerLoad {
  readonly taker: string;
  readonly count: number;
  readonly spreadCount: number;
}

/** The agents that claim jobs. A taker is an agent, or one of its runners, by a word of ours. */
export class JobAgents {
  readonly #clock: Clock;
  readonly #known: KnownAgents;
  readonly #takers = new Map<string, JobTaker>();

  constructor(clock: Clock, known: KnownAgents) {
    this.#clock = clock;
    this.#known = known;
  }

  /** Waits for jobs for an agent. An earlier claim of it, whose connection is gone, ends without any. */
  wait(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    const { agentId, runner, kinds, pausedKinds = [], slots, waitMs } = claim;
    const taker = takerOf(agentId, runner);
    const known = this.#takers.get(taker);
    if (known === undefined && this.#takers.size >= takersPerAgentMax * coreLimits.agentsPerClusterMax)
      return Promise.resolve([]);
    const agent = known ?? newTaker(agentId);
    agent.waiting?.answer();
    agent.kinds = new Set(kinds.slice(0, metadataLimits.jobKindsPerClaimMax));
    agent.pausedKinds = new Set(pausedKinds.slice(0, metadataLimits.jobKindsPerClaimMax));
    agent.seenMs = this.#clock.monotonicMs();
    this.#takers.set(taker, agent);
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

  /** Chooses the taker of a job: one that waits, did not fail at it before, and has the least to do. */
  choose(job: OfferedJob): string | undefined {
    let best: { readonly taker: string; readonly rank: readonly number[] } | undefined;
    for (const [taker, found] of this.#takers) {
      const cpuLoad = this.#known.cpuLoadOf(found.agentId);
      if (cpuLoad === undefined || !this.#canTake(found, job)) continue;
      const rank = [
        job.triedBy.has(found.agentId) ? 1 : 0,
        spreadCountOf(found, job.spreadBy),
        found.running.size,
        cpuLoad,
      ];
      if (best === undefined || isBefore(rank, best.rank)) best = { taker, rank };
    }
    return best?.taker;
  }

  /** The takers that could take a job now, and the one that has it. */
  loadsFor(job: OfferedJob, holder: string): readonly TakerLoad[] {
    return Array.from(this.#takers).flatMap(([taker, found]) =>
      taker === holder || (this.isAlive(found.agentId) && this.#canTake(found, job))
        ? [{ taker, count: found.running.size, spreadCount: spreadCountOf(found, job.spreadBy) }]
        : [],
    );
  }

  #canTake({ agentId, kinds, waiting }: JobTaker, { kind, agentGroup }: OfferedJob): boolean {
    if (waiting === undefined || !kinds.has(kind) || waiting.jobs.length >= waiting.slots) return false;
    return agentGroup === undefined || this.#known.groupOf?.(agentId) === agentGroup;
  }

  /** Returns the id of the agent. */
  give(taker: string, job: ClaimedJob, spreadBy?: string): string {
    const found = this.#takers.get(taker)!;
    found.running.set(job.jobId, spreadBy);
    found.waiting!.jobs.push(job);
    return found.agentId;
  }

  /** Counts a job that an agent runs since before this leader. */
  hold(taker: string, agentId: string, jobId: string, spreadBy?: string): void {
    const found = this.#takers.get(taker) ?? newTaker(agentId);
    found.running.set(jobId, spreadBy);
    this.#takers.set(taker, found);
  }

  /** Answers the claims that got jobs. */
  release(): void {
    for (const { waiting } of this.#takers.values())
      if (waiting !== undefined && waiting.jobs.length > 0) waiting.answer();
  }

  /** Ends the claim of a taker without a job: it reports what it runs at once, and learns what has to stop. */
  nudge(taker: string): void {
    const waiting = this.#takers.get(taker)?.waiting;
    if (waiting !== undefined && waiting.jobs.length === 0) waiting.answer();
  }

  free(taker: string, jobId: string): void {
    this.#takers.get(taker)?.running.delete(jobId);
  }

  isAlive(agentId: string): boolean {
    return this.#known.cpuLoadOf(agentId) !== undefined;
  }

  takersOf(kind: string): { readonly agentCount: number; readonly pausedCount: number } {
    let [agentCount, pausedCount] = [0, 0];
    for (const { agentId, kinds, pausedKinds } of this.#takers.values()) {
      if (!this.isAlive(agentId)) continue;
      if (kinds.has(kind)) agentCount++;
      else if (pausedKinds.has(kind)) pausedCount++;
    }
    return { agentCount, pausedCount };
  }

  forget(agentId: string): void {
    for (const [taker, found] of this.#takers) if (found.agentId === agentId) this.#remove(taker);
  }

  /** Drops agents that are gone. Their jobs end with their leases. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [taker, { agentId, waiting, running, seenMs }] of this.#takers) {
      const isAbsent = waiting === undefined && running.size === 0 && nowMs - seenMs > absenceMsMax;
      if (isAbsent || !this.isAlive(agentId)) this.#remove(taker);
    }
  }

  close(): void {
    for (const taker of [...this.#takers.keys()]) this.#remove(taker);
  }

  #remove(taker: string): void {
    const waiting = this.#takers.get(taker)?.waiting;
    this.#takers.delete(taker);
    waiting?.answer();
  }
}

export function takerOf(agentId: string, runner: string | undefined): string {
  return runner === undefined ? agentId : `${agentId} ${runner.slice(0, runnerCharsMax)}`;
}

function newTaker(agentId: string): JobTaker {
  return {
    agentId,
    kinds: new Set(),
    pausedKinds: new Set(),
    running: new Map(),
    seenMs: 0,
    waiting: undefined,
  };
}

function spreadCountOf({ running }: JobTaker, spreadBy: string | undefined): number {
  if (spreadBy === undefined) return 0;
  let count = 0;
  for (const word of running.values()) if (word === spreadBy) count++;
  return count;
}
