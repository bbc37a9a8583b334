import { reportPatiently, retryMs } from '@weir/broker';
import type { ClaimedJob, HeldJob, JobReport, JobsPort } from '@weir/cluster';
import { type Clock, type Log, pauseUnlessStopped } from '@weir/core';
import { type JobContext, type JobKind, LeaderUnreachable, NeedsOperator } from './job-kind.ts';
import type { JobMetrics } from './job-metrics.ts';
import { JobReports } from './job-reports.ts';

interface JobRunnerOptions {
  readonly port: Pick<JobsPort, 'claimJobs' | 'reportJob' | 'reportJobs'>;
  readonly agentId: string;
  /** The name of this runner, if the agent has several. */
  readonly runner?: string | undefined;
  readonly kinds: readonly JobKind[];
  /** How many jobs run at a time. */
  readonly slots: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: JobMetrics;
  /** Ends what jobs share, after the last of them. */
  readonly onStopped?: (() => Promise<void>) | undefined;
}

/** How long one claim waits for a job. */
const waitMs = 20_000;
/** How often the end of a job is reported if the control plane does not confirm it. */
const sendsMax = 5;

type JobEnd = Pick<JobReport, 'state' | 'message' | 'needsOperator'>;

/**
 * Claims background jobs of the cluster and runs several at a time. It reports them at intervals, which renews
 * their leases; the answers say whether this agent still has each job.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #running = new Map<AbortController, Promise<void>>();
  readonly #reports: JobReports;
  /** Lasting jobs that run, for a leader that does not know them. */
  readonly #held = new Map<string, HeldJob>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#reports = new JobReports(options);
    this.#kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  }

  start(): void {
    if (this.#kinds.size > 0) this.#loop ??= this.#live();
  }

  /** Stops running jobs and gives them back, so that other agents can continue them at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const controller of this.#running.keys()) controller.abort(new Error('agent is shutting down'));
    await Promise.all(this.#running.values());
    await this.#options.onStopped?.();
  }

  async #live(): Promise<void> {
    const { port, agentId, runner, slots, clock, log, metrics } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const free = slots - this.#running.size;
      if (free === 0) {
        await Promise.race(this.#running.values());
        continue;
      }
      try {
        const askedMs = clock.monotonicMs();
        const [kinds, pausedKinds]: [string[], string[]] = [[], []];
        for (const { kind, mayStart } of this.#options.kinds)
          ((mayStart?.() ?? true) ? kinds : pausedKinds).push(kind);
        const held = this.#held.size === 0 ? undefined : [...this.#held.values()];
        const jobs = await port.claimJobs({
          agentId,
          runner,
          kinds,
          pausedKinds,
          slots: free,
          waitMs,
          held,
        });
        metrics.fetched(jobs.map(({ kind }) => kind));
        for (const job of jobs) this.#begin(job);
        if (jobs.length > 0 || clock.monotonicMs() - askedMs >= waitMs) continue;
        // A claim that ends early without a job: one that runs has to stop, or another claim replaced this one.
        const hasStopped = await this.#reports.reportLasting();
        if (!hasStopped && clock.monotonicMs() - askedMs < retryMs)
          await pauseUnlessStopped(clock, retryMs, signal);
      } catch (error) {
        metrics.fetchFailed();
        log.debug('failed to claim jobs', { error: String(error) });
        await pauseUnlessStopped(clock, retryMs, signal);
      }
    }
  }

  #begin(job: ClaimedJob): void {
    const { metrics, slots } = this.#options;
    const controller = new AbortController();
    if (this.#stopping.signal.aborted) controller.abort(new Error('agent is shutting down'));
    const work = this.#work(job, controller).finally(() => {
      this.#running.delete(controller);
      metrics.running(this.#running.size, slots);
    });
    this.#running.set(controller, work);
    metrics.running(this.#running.size, slots);
  }

  async #work(
    { jobId, kind, scope, task, checkpoint }: ClaimedJob,
    controller: AbortController,
  ): Promise<void> {
    const { agentId, runner, clock, log, metrics } = this.#options;
    const isLasting = this.#kinds.get(kind)?.isLasting === true;
    const name = isLasting ? { agentId, jobId, kind, scope, runner } : { agentId, jobId };
    if (isLasting) this.#held.set(jobId, { jobId, kind, scope });
    const startMs = clock.monotonicMs();
    const report: { latest: Pick<JobReport, 'progress' | 'checkpoint'> } = {
      latest: { progress: { doneCount: 0, totalCount: -1 }, checkpoint: null },
    };
    const context: JobContext = {
      signal: controller.signal,
      checkpoint,
      progress(doneCount, totalCount = -1, reached, rates) {
        const progress = { doneCount, totalCount, ...rates };
        report.latest = { progress, checkpoint: reached ?? report.latest.checkpoint };
      },
    };
    const lost = { isLost: false };
    const stopReporting = this.#reports.add({
      isLasting,
      latest: () => ({ ...name, state: 'running', message: '', ...report.latest }),
      onLost: () => {
        if (controller.signal.aborted) return false;
        lost.isLost = !isLasting;
        controller.abort(new Error('job reassigned to another agent'));
        return true;
      },
      onUnconfirmed: () => {
        if (controller.signal.aborted) return;
        log.warn('stopped job because no leader can be reached', { kind, scope, jobId });
        controller.abort(new LeaderUnreachable());
      },
    });
    log.info('started job', { kind, scope, jobId });
    let end: JobEnd;
    try {
      end = { state: 'done', message: await this.#kinds.get(kind)!.run(task, context) };
    } catch (error) {
      end = controller.signal.aborted
        ? { state: 'givenBack', message: '' }
        : { state: 'failed', message: oneLine(error), needsOperator: error instanceof NeedsOperator };
    } finally {
      stopReporting();
      this.#held.delete(jobId);
    }
    if (!lost.isLost) await this.#send({ ...name, ...report.latest, ...end });
    const elapsedMs = clock.monotonicMs() - startMs;
    const outcome = lost.isLost ? 'lost' : outcomeNames[end.state];
    metrics.ended(kind, outcome, elapsedMs);
    const fields = {
      kind,
      scope,
      jobId,
      outcome,
      elapsedMs: Math.round(elapsedMs),
      ...report.latest.progress,
    };
    if (end.state === 'failed') log.warn('failed to run job', { ...fields, error: end.message });
    else log.info('finished job', { ...fields, message: end.message });
  }

  async #send(report: JobReport): Promise<void> {
    const { port, log } = this.#options;
    const error = await reportPatiently(() => port.reportJob(report), sendsMax, this.#patience);
    if (error !== undefined) log.debug('failed to report end of job', { error: String(error) });
  }

  get #patience() {
    return { clock: this.#options.clock, stop: this.#stopping.signal };
  }
}

const outcomeNames: Readonly<Record<JobReport['state'], string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  givenBack: 'given_back',
};

function oneLine(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return message.replaceAll(/\s*\n\s*/g, ' ');
}
