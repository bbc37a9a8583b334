import {
  column,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  tuple,
  whole,
} from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

export interface JobClaim {
  readonly agentId: string;
  /** The kinds of jobs that the agent runs. A leader gives it no others, so that releases can be mixed. */
  readonly kinds: readonly string[];
  /** Kinds that it runs, but not now: such as merges on a disk that clients keep busy. */
  readonly pausedKinds?: readonly string[] | undefined;
  /** How many jobs the agent can start now. */
  readonly slots: number;
  /** At most `jobWaitMsMax`. */
  readonly waitMs: number;
}

export interface ClaimedJob {
  readonly jobId: string;
  readonly kind: string;
  /** What the job is about. No two open jobs of a kind have the same scope. */
  readonly scope: string;
  /** What to do, in a format of the kind. */
  readonly task: Uint8Array;
  /** How far an earlier agent came, in a format of the kind. */
  readonly checkpoint: Uint8Array | null;
}

const jobReportStates = [
  'running',
  'done',
  'failed',
  /** The agent stops; another one may continue. */
  'givenBack',
] as const;

export interface JobProgress {
  readonly doneCount: number;
  /** -1 if it is not known. */
  readonly totalCount: number;
}

export interface JobReport {
  readonly agentId: string;
  readonly jobId: string;
  readonly state: (typeof jobReportStates)[number];
  readonly progress: JobProgress;
  /** From where another agent can continue; `null` if there is nothing new. At most `jobCheckpointBytesMax`. */
  readonly checkpoint: Uint8Array | null;
  /** One line: why it failed, or what was done. */
  readonly message: string;
  /** It failed, and further attempts will fail until an operator acts. */
  readonly needsOperator?: boolean | undefined;
}

/**
 *     waiting ──an agent claims it──▶ running ──▶ done
 *        ▲                               │
 *        ├──given back, its agent is lost┤
 *        └──after a pause── failing ◀────┘ failed
 *
 * `stopped` is `failing` after several attempts, or where only an operator can help: it is retried seldom.
 */
const jobStates = ['waiting', 'running', 'done', 'failing', 'stopped'] as const;
export type JobState = (typeof jobStates)[number];

export interface ListedJob {
  readonly jobId: string;
  readonly kind: string;
  readonly scope: string;
  readonly state: JobState;
  /** The agent that runs it, or did last. */
  readonly agentId: string | null;
  readonly plannedMs: number;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly progress: JobProgress;
  /** Attempts in a row that failed. */
  readonly failureCount: number;
  /** Earliest time of the next attempt of a job that fails. */
  readonly retryMs: number | null;
  readonly message: string;
}

export interface JobsState {
  /** Waiting and running jobs, then failing ones, then those that ended most recently. */
  readonly jobs: readonly ListedJob[];
  /** How many agents claim jobs of each kind that the leader plans. */
  readonly takers: readonly JobTakers[];
}

interface JobTakers {
  readonly kind: string;
  readonly agentCount: number;
  /** Agents that run the kind, but not now. */
  readonly pausedCount: number;
}

/** Interval between an agent's reports about a job. Its lease is `jobLeaseMs`. */
export const jobReportIntervalMs = 5_000;

/** Calls about background jobs of a cluster. */
export const jobCalls = {
  /** Claims jobs. Returns none if there were none in time; the agent claims again. */
  claimJobs: leaderCall<[claim: JobClaim], readonly ClaimedJob[]>(
    tuple(
      object<JobClaim>({
        agentId: text,
        kinds: list(text),
        pausedKinds: optional(list(text)),
        slots: whole,
        waitMs: whole,
      }),
    ),
    { onRetry: 'dedupe-in-process', deadlineMs: 60_000, waits: true },
  ),
  /**
   * Reports the progress or the end of a job. A running job is reported every `jobReportIntervalMs`; without a report
   * for `jobLeaseMs` another agent gets it. Returns whether the agent still has the job; if not, it stops.
   */
  reportJob: leaderCall<[report: JobReport], boolean>(
    tuple(
      object<JobReport>({
        agentId: text,
        jobId: text,
        state: oneOf(...jobReportStates),
        progress: object<JobProgress>({ doneCount: whole, totalCount: whole }),
        checkpoint: nullable(column(Uint8Array)),
        message: text,
        needsOperator: optional(flag),
      }),
    ),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
  /** Returns running and recent jobs. */
  listJobs: leaderCall<[], JobsState>(tuple(), { membersOnly: true, onRetry: 'reexecute' }),
};

export type JobsPort = PortOf<typeof jobCalls>;
