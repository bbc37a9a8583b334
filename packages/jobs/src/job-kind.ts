import type { AgentDescription, JobProgress } from '@weir/cluster';
import type { JobCategory } from '@weir/core';

/** Whether an agent takes jobs of a category. */
export function takesJobs(
  { roles, jobCategories: selected }: Pick<AgentDescription, 'roles' | 'jobCategories'>,
  category: JobCategory,
): boolean {
  return roles.includes('jobs') && (selected === undefined || selected.includes(category));
}

/** The arguments of a running job, apart from its task. */
export interface JobContext {
  /** Aborted when the agent stops or job reassigned to another agent. */
  readonly signal: AbortSignal;
  /** Where an earlier attempt came to. */
  readonly checkpoint: Uint8Array | null;
  /**
   * Notes progress, which the next report sends. With a checkpoint, another agent can continue from there; it has at
   * most a few hundred bytes.
   */
  progress(doneCount: number, totalCount?: number, checkpoint?: Uint8Array, rates?: JobRates): void;
}

/** Of jobs that run as long as they are wanted. */
export type JobRates = Omit<JobProgress, 'doneCount' | 'totalCount'>;

/** The failure of a job that will fail again until an operator acts; its message says how. */
export class NeedsOperator extends Error {}

/** Why a lasting job has to stop whose agent reaches no leader. */
export class LeaderUnreachable extends Error {
  constructor() {
    super('no leader of the cluster can be reached');
  }
}

/**
 * A kind of job on the side of the agent; the leader has a `JobPlanner` with the same name. A job may run twice or
 * late, so it must have its effect on metadata by one command that checks its assumptions.
 */
export interface JobKind {
  readonly kind: string;
  readonly category: JobCategory;
  /**
   * Whether jobs run as long as they are wanted. The leader waits for the end of one that has to stop, so that it is
   * reported until then.
   */
  readonly isLasting?: boolean | undefined;
  /** Whether it is claimed now; always if absent. */
  readonly mayStart?: (() => boolean) | undefined;
  /** Returns what was done, in one line. An error makes the job fail with its message; it is retried later. */
  run(task: Uint8Array, context: JobContext): Promise<string>;
}
