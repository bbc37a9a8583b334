import {
  CallRefused,
  type JobReport,
  type JobsPort,
  jobLeaseMs,
  jobReportBytes,
  jobReportIntervalMs,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock, Log } from '@weir/core';

interface JobReportsOptions {
  readonly port: Pick<JobsPort, 'reportJob' | 'reportJobs'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A job that runs. */
interface ReportedJob {
  readonly isLasting: boolean;
  latest(): JobReport;
  /** This agent does not have the job any more. Returns whether it has to stop now. */
  onLost(): boolean;
  /** No leader has confirmed a lasting job for so long that another agent may run it too. */
  onUnconfirmed(): void;
}

interface DueJob extends ReportedJob {
  earlyReports: number;
  /** By the monotonic clock. */
  dueMs: number;
  /** When the last report was sent that a leader has answered. */
  confirmedMs: number;
}

/**
 * How long a lasting job runs on without a leader: its lease, and as long again for a change of the leader, which
 * should stop nothing.
 */
const unconfirmedMsMax = 2 * jobLeaseMs;

/** People watch a job start that runs as long as it is wanted. */
const earlyReportMs = 1_000;
const earlyReportsMax = 10;
/** Who is due this soon is reported with those that are due now. */
const togetherMs = earlyReportMs / 2;

/**
 * Reports the running jobs of an agent at intervals, which renews their leases. Jobs that started at different times
 * are reported together from their first interval on, by few calls: an agent may write a thousand tables.
 */
export class JobReports {
  readonly #options: JobReportsOptions;
  readonly #jobs = new Set<DueJob>();
  #timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  constructor(options: JobReportsOptions) {
    this.#options = options;
  }

  /** Returns what ends the reports of the job. */
  add(job: ReportedJob): () => void {
    const earlyReports = job.isLasting ? earlyReportsMax : 0;
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = nowMs + intervalMs(earlyReports);
    const due: DueJob = { ...job, earlyReports, dueMs, confirmedMs: nowMs };
    this.#jobs.add(due);
    this.#arm(dueMs);
    return () => {
      this.#jobs.delete(due);
      if (this.#jobs.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  /** Reports lasting jobs at once. Returns whether one of them has to stop now. */
  reportLasting(): Promise<boolean> {
    return this.#report([...this.#jobs].filter(({ isLasting }) => isLasting));
  }

  #arm(dueMs: number): void {
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.#timer?.cancel();
    const { clock } = this.#options;
    const cancel = clock.after(dueMs - clock.monotonicMs(), () => this.#tick());
    this.#timer = { dueMs, cancel };
  }

  #tick(): void {
    this.#timer = undefined;
    const nowMs = this.#options.clock.monotonicMs();
    const isDue = ({ dueMs }: DueJob) => dueMs <= nowMs + togetherMs;
    const jobs = [...this.#jobs];
    // Those that are reported seldom follow the first of them.
    const areSeldomDue = jobs.some((job) => job.earlyReports === 0 && isDue(job));
    const due = jobs.filter((job) => isDue(job) || (areSeldomDue && job.earlyReports === 0));
    for (const job of due) {
      if (job.earlyReports > 0) job.earlyReports--;
      job.dueMs = nowMs + intervalMs(job.earlyReports);
      if (job.isLasting && nowMs - job.confirmedMs >= unconfirmedMsMax) job.onUnconfirmed();
    }
    void this.#report(due);
    if (jobs.length > 0) this.#arm(jobs.reduce((least, { dueMs }) => Math.min(least, dueMs), Infinity));
  }

  async #report(jobs: readonly DueJob[]): Promise<boolean> {
    const sentMs = this.#options.clock.monotonicMs();
    const stopped = await Promise.all(
      callsOf(jobs).map(async (call) => {
        const answers = await this.#send(call.map(({ report }) => report));
        return call.map(({ job }, at) => {
          if (answers[at] !== undefined) job.confirmedMs = Math.max(job.confirmedMs, sentMs);
          return answers[at] === false && this.#jobs.has(job) && job.onLost();
        });
      }),
    );
    return stopped.flat().includes(true);
  }

  /** Returns whether this agent has each job; `undefined` where that is not known. */
  async #send(reports: readonly JobReport[]): Promise<readonly (boolean | undefined)[]> {
    const { port } = this.#options;
    if (reports.length === 1) return [await this.#sendOne(reports[0]!)];
    try {
      return await port.reportJobs(reports);
    } catch (error) {
      // A leader of an earlier release does not know the call.
      if (error instanceof CallRefused) return Promise.all(reports.map((report) => this.#sendOne(report)));
      this.#failed(error);
      return [];
    }
  }

  async #sendOne(report: JobReport): Promise<boolean | undefined> {
    try {
      return await this.#options.port.reportJob(report);
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    this.#options.log.debug('failed to report job', { error: String(error) });
  }
}

function intervalMs(earlyReports: number): number {
  return earlyReports > 0 ? earlyReportMs : jobReportIntervalMs;
}

interface SentReport {
  readonly job: DueJob;
  readonly report: JobReport;
}

/** Divides reports among calls, each within the limits of one. */
function callsOf(jobs: readonly DueJob[]): SentReport[][] {
  const calls: SentReport[][] = [];
  let bytes = Infinity;
  for (const job of jobs) {
    const report = job.latest();
    const reportBytes = jobReportBytes(report);
    bytes += reportBytes;
    const last = calls.at(-1);
    const isFull = last === undefined || last.length >= clusterLimits.jobReportsPerCallMax;
    if (isFull || bytes > clusterLimits.jobReportBytesPerCallMax) {
      calls.push([{ job, report }]);
      bytes = reportBytes;
    } else last.push({ job, report });
  }
  return calls;
}
