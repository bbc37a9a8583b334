import { clusterLimits } from '../limits.ts';
import * as s from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

/** A job that lasts, as the agent that runs it names it to a leader that may not know it. */
const heldJob = s.struct({ jobId: s.text, kind: s.text, scope: s.text });
export type HeldJob = s.TypeOf<typeof heldJob>;

const jobClaim = s.struct({
  agentId: s.text,
  /** Which runner of the agent claims, if it has several: they wait beside each other. */
  runner: s.optional(s.text),
  /** The kinds of jobs that the agent runs. A leader gives it no others, so that releases can be mixed. */
  kinds: s.list(s.text),
  /** Kinds that it runs, but not now: such as merges on a disk that clients keep busy. */
  pausedKinds: s.optional(s.list(s.text)),
  /** How many jobs the agent can start now. */
  slots: s.whole,
  /** At most `jobWaitMsMax`. */
  waitMs: s.whole,
  /** Lasting jobs that it runs: a new leader lets them run on. */
  held: s.optional(s.list(heldJob)),
});
export type JobClaim = s.TypeOf<typeof jobClaim>;

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

const jobProgress = s.struct({
  doneCount: s.whole,
  /** -1 if it is not known. */
  totalCount: s.whole,
  /** Of jobs that run as long as they are wanted. */
  messagesPerSecond: s.optional(s.number),
  bytesPerSecond: s.optional(s.number),
  /** Messages on which a part of it failed, since it was started. */
  failedCount: s.optional(s.whole),
  /** What it read, before any of it was written. */
  receivedMessagesPerSecond: s.optional(s.number),
  receivedBytesPerSecond: s.optional(s.number),
  /** How often something failed while it went on, since it was started: at a read, a write or a connection. */
  errorCount: s.optional(s.whole),
  /** What failed last, while it goes on, in which component, and when by the clock of the agent. */
  lastError: s.optional(s.text),
  lastErrorStage: s.optional(s.text),
  lastErrorMs: s.optional(s.number),
});
export type JobProgress = s.TypeOf<typeof jobProgress>;

const jobReport = s.struct({
  agentId: s.text,
  jobId: s.text,
  state: s.oneOf(...jobReportStates),
  progress: jobProgress,
  /** From where another agent can continue; `null` if there is nothing new. At most `jobCheckpointBytesMax`. */
  checkpoint: s.nullable(s.column(Uint8Array)),
  /** One line: why it failed, or what was done. */
  message: s.text,
  /** It failed, and further attempts will fail until an operator acts. */
  needsOperator: s.optional(s.flag),
  /** Of a lasting job: what it is about and which runner has it, for a leader that does not know it. */
  kind: s.optional(s.text),
  scope: s.optional(s.text),
  runner: s.optional(s.text),
});
export type JobReport = s.TypeOf<typeof jobReport>;

/** What a report takes of `jobReportBytesPerCallMax`, about: texts that are not escaped, and the names of members. */
export function jobReportBytes({ agentId, jobId, message, scope, progress, checkpoint }: JobReport): number {
  const { lastError, lastErrorStage } = progress;
  let chars = 500;
  for (const word of [agentId, jobId, message, scope, lastError, lastErrorStage]) chars += word?.length ?? 0;
  return chars + (checkpoint?.length ?? 0);
}

const someJobReports: s.Shape<readonly JobReport[]> = (value, where) => {
  const problem = reportList(value, where);
  if (problem !== undefined) return problem;
  const reports = value as readonly JobReport[];
  const { jobReportsPerCallMax: countMax, jobReportBytesPerCallMax: bytesMax } = clusterLimits;
  if (reports.length > countMax) return `${where}: ${reports.length} reports, at most ${countMax}`;
  const bytes = reports.reduce((sum, report) => sum + jobReportBytes(report), 0);
  return bytes > bytesMax ? `${where}: reports of ${bytes} bytes, at most ${bytesMax}` : undefined;
};
const reportList = s.list(jobReport);

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
  claimJobs: leaderCall<[claim: JobClaim], readonly ClaimedJob[]>(s.tuple(jobClaim), {
    onRetry: 'dedupe-in-process',
    deadlineMs: 60_000,
    waits: true,
  }),
  /**
   * Reports the progress or the end of a job. A running job is reported every `jobReportIntervalMs`; without a report
   * for `jobLeaseMs` another agent gets it. Returns whether the agent still has the job; if not, it stops.
   */
  reportJob: leaderCall<[report: JobReport], boolean>(s.tuple(jobReport), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /**
   * The same for several jobs of an agent; the answers are in the order of the reports. At most `jobReportsPerCallMax`
   * of them with `jobReportBytesPerCallMax` bytes.
   */
  reportJobs: leaderCall<[reports: readonly JobReport[]], readonly boolean[]>(s.tuple(someJobReports), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Pipelines of the cluster changed: their jobs are planned at once instead of at the next interval. */
  planPipelines: leaderCall<[], void>(s.tuple(), { membersOnly: true, onRetry: 'reexecute' }),
  /** Returns running and recent jobs. */
  listJobs: leaderCall<[], JobsState>(s.tuple(), { membersOnly: true, onRetry: 'reexecute' }),
};

export type JobsPort = PortOf<typeof jobCalls>;
