import type { ListedJob } from '@weir/cluster';
import type { JobEnds } from './job-ends.ts';

/** A job that the leader wants to be run. */
export interface PlannedJob {
  /** What it is about. Of the jobs of a kind with one scope, one is open at a time. */
  readonly scope: string;
  /** What to do, for the agent, in a format of the kind. */
  readonly task: Uint8Array;
  /** Only agents of this group run it; those of any if absent. */
  readonly agentGroup?: string | undefined;
  /** Jobs with the same word go to different agents while there are enough. */
  readonly spreadBy?: string | undefined;
}

/** What a planner may know about the jobs of its kind. */
interface PlanState {
  /** By the clock of the leader. */
  readonly nowMs: number;
  /** Whether a job of this scope waits, runs, or pauses after a failure. A planner that checks it saves work. */
  isOpen(scope: string): boolean;
  /** When a job of this scope was last done, if this leader knows. */
  lastDoneMs(scope: string): number | undefined;
  /** The scopes of jobs of a kind, its own by default, that wait or run, also of those that have to stop. */
  openScopes(kind?: string): readonly string[];
  /** How many more jobs of the kind may be open. */
  readonly freeCount: number;
}

/**
 * A kind of job on the side of the leader. The other side is a `JobKind` of the agent with the same name.
 *
 * Jobs are soft state: a new leader plans anew, takes over the lasting jobs that agents run, and a job may run twice,
 * late, or under two leaders. So what a job changes in the cluster has to be one command that checks its assumptions.
 */
export interface JobPlanner {
  readonly kind: string;
  /** Jobs of this kind that may be open at a time. */
  readonly openMax: number;
  /** Pause after a first failure, doubled by each further one up to the longest. */
  readonly retry: { readonly firstMs: number; readonly maxMs: number };
  /**
   * Its jobs run as long as they are wanted, also when the leader changes. One that has to stop stays open until its
   * agent reports its end, and jobs move from agents with many to agents with few.
   */
  readonly isLasting?: boolean | undefined;
  /** Where the ends of its jobs are kept; a leader without it knows those of its own time, and only the recent ones. */
  readonly ends?: JobEnds | undefined;
  /** Called with each job that was done or failed, for what others learn of it. It must not throw. */
  readonly onEnd?: ((job: ListedJob) => void) | undefined;
  /** A job that ran this long has worked: its earlier failures do not count any more. */
  readonly steadyMs?: number | undefined;
  /**
   * Returns those of some scopes whose jobs are to stop, because a user paused or changed what they are about. Called
   * before each plan, with the scopes of jobs that are open or failed. All may run on if absent.
   */
  unwanted?(scopes: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns jobs for which there is work now. Called at intervals, and after each job of the kind that was done. Jobs
   * of open scopes, and those beyond `freeCount`, are ignored. It must read durable state (`CommitPipeline.ask`).
   */
  plan(state: PlanState): Promise<readonly PlannedJob[]>;
}
