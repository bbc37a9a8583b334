import {
  type ClaimedJob,
  type JobClaim,
  type JobProgress,
  type JobReport,
  type JobsState,
  jobLeaseMs,
  type ListedJob,
  NotLeader,
  pipelineKind,
  readPipelineScope,
} from '@weir/cluster';
import { backOffMs, type Clock, type Log } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { KnownAgents } from '../queries/engines.ts';
import { jobToMove } from './balance-jobs.ts';
import { JobAgents } from './job-agents.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';
import type { JobQueueMetrics } from './job-queue-metrics.ts';
import { LastingJobs } from './lasting-jobs.ts';
import { type OpenJob, OpenJobs } from './open-jobs.ts';
import { ScopeHistories } from './scope-histories.ts';

interface JobQueueOptions {
  readonly planners: readonly JobPlanner[];
  readonly clock: Clock;
  readonly log: Log;
  readonly agents: KnownAgents;
  readonly metrics: JobQueueMetrics;
  /** Part of the ids of jobs, so that no two leaders use the same. */
  readonly term: number;
  /** Agents that the leader before knew: what they run is not handed out before they had time to say so. */
  readonly earlierAgents?: readonly string[] | undefined;
}

/** After this number of failures in a row a job counts as stopped: only an operator can help. */
export const stoppedAfterFailures = 5;

/** How often planners are called, and leases are checked. */
const planIntervalMs = 5_000;
const checkIntervalMs = 1_000;
const planSoonMs = 100;
/** The first losses of a job are those of agents; later ones may be its own fault. */
const lossesMax = 2;

/**
 * The background jobs of a cluster. Soft state of the leader: a new leader plans anew, and takes over lasting jobs that
 * agents run.
 *
 * An agent holds a job by a lease that its reports renew. A job whose agent falls silent or gives it back goes to
 * another agent, which continues at the last checkpoint.
 */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #clock: Clock;
  readonly #planners: ReadonlyMap<string, JobPlanner>;
  readonly #agents: JobAgents;
  readonly #jobs = new OpenJobs();
  readonly #lasting: LastingJobs;
  readonly #histories = new ScopeHistories();
  /** Jobs that were done, the latest last. */
  readonly #done: ListedJob[] = [];
  /** Kinds that are being planned, and whether to plan again afterwards. */
  readonly #planning = new Map<string, { again: boolean }>();
  readonly #timers = new Set<() => void>();
  /** Kinds that are planned before their interval has passed. */
  readonly #soon = new Set<string>();
  #jobCount = 0;
  #hasStarted = false;
  #closed: Error | undefined;

  constructor(options: JobQueueOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#planners = new Map(options.planners.map((planner) => [planner.kind, planner]));
    this.#agents = new JobAgents(options.clock, options.agents);
    this.#lasting = new LastingJobs({
      planners: this.#planners,
      clock: options.clock,
      agents: this.#agents,
      open: this.#jobs,
      earlierAgents: options.earlierAgents,
      planSoon: (kind) => this.planSoon(kind),
      dropDone: (job) => this.#drop(job, 'done'),
    });
  }

  async claim(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    if (this.#closed !== undefined) throw this.#closed;
    this.#start();
    const { agentId, runner, held = [], kinds } = claim;
    for (const job of held.slice(0, metadataLimits.heldJobsPerClaimMax))
      this.#lasting.takeOver(agentId, runner, job);
    const claimed = this.#agents.wait(claim);
    const lastingKinds = kinds.filter((kind) => this.#lasting.isLasting(kind));
    if (lastingKinds.length > 0) this.#lasting.heard(agentId);
    this.#dispatch();
    this.planSoon(...lastingKinds);
    return claimed;
  }

  /** Returns whether the agent still has the job. The end of a job that is kept is durable then. */
  report(report: JobReport): boolean | Promise<boolean> {
    if (this.#closed !== undefined) throw this.#closed;
    const { agentId, jobId, state, progress, checkpoint, message, needsOperator } = report;
    const job = this.#jobs.get(jobId);
    // Another agent has it, or another leader planned it.
    if (job?.agentId !== agentId) return this.#reportEarlier(report);
    job.reportedMs = this.#clock.monotonicMs();
    job.progress = boundedProgress(progress);
    if (checkpoint !== null && checkpoint.length <= metadataLimits.jobCheckpointBytesMax)
      job.checkpoint = checkpoint;
    const line = message.slice(0, metadataLimits.jobMessageCharsMax);
    if (state === 'running') return job.stopping === undefined;
    if (job.stopping === 'cancelled') {
      this.#drop(job, 'cancelled');
      void this.#plan(job.kind);
      return false;
    }
    switch (state) {
      case 'done':
        return this.#succeeded(job, line);
      case 'failed':
        this.#failed(job, line, needsOperator);
        return false;
      case 'givenBack':
        this.#options.metrics.ended(job.kind, 'given_back');
        this.#putBack(job);
        this.#dispatch();
        return false;
    }
  }

  /** Answers in the order of the reports. */
  reportMany(reports: readonly JobReport[]): Promise<readonly boolean[]> {
    return Promise.all(reports.map((report) => this.report(report)));
  }

  /** The jobs of an agent that left go to others at once. */
  forget(agentId: string): void {
    this.#agents.forget(agentId);
    this.#lasting.forget(agentId);
    for (const job of this.#jobs.list()) {
      if (job.agentId !== agentId) continue;
      if (job.stopping === 'cancelled') this.#drop(job, 'cancelled');
      else this.#putBack(job);
    }
    this.#dispatch();
  }

  list(): JobsState {
    return {
      jobs: [
        ...this.#jobs.list().map((job) => this.#listed(job)),
        ...this.#histories.failed().filter(({ kind, scope }) => this.#jobs.find(kind, scope) === undefined),
        ...this.#done.toReversed(),
        ...this.#lasting.ended(),
      ],
      takers: [...this.#planners.keys()].map((kind) => ({ kind, ...this.#agents.takersOf(kind) })),
    };
  }

  /** The progress of instances of pipelines that run, those that were planned first first. */
  runningInstances(): readonly (JobProgress & { readonly pipelineId: string })[] {
    return this.#jobs
      .list()
      .flatMap(({ kind, scope, agentId, progress }) =>
        kind === pipelineKind && agentId !== undefined
          ? [{ ...progress, pipelineId: readPipelineScope(scope).pipelineId }]
          : [],
      );
  }

  /** There may be something to do for a kind of job. Many calls in a row lead to few plans. */
  planSoon(...kinds: readonly string[]): void {
    for (const kind of kinds) if (this.#planners.has(kind)) this.#planKindSoon(kind);
  }

  #planKindSoon(kind: string): void {
    if (!this.#hasStarted || this.#closed !== undefined || this.#soon.has(kind)) return;
    this.#soon.add(kind);
    const cancel = this.#clock.after(planSoonMs, () => {
      this.#timers.delete(cancel);
      this.#soon.delete(kind);
      void this.#plan(kind);
    });
    this.#timers.add(cancel);
  }

  /** Ends the term; agents stop their jobs and turn to the next leader. */
  close(reason: string): void {
    this.#closed = new NotLeader(reason, undefined);
    for (const cancel of this.#timers) cancel();
    for (const { kind } of this.#jobs.all()) this.#options.metrics.ended(kind, 'lost_leader');
    this.#jobs.clear();
    this.#lasting.close();
    this.#agents.close();
  }

  /** A cluster whose agents claim no jobs, as most idle ones, does not need a timer. */
  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#planAll();
    this.#every(planIntervalMs, () => this.#planAll());
    this.#every(checkIntervalMs, () => this.#check());
  }

  #planAll(): void {
    for (const kind of this.#planners.keys()) void this.#plan(kind);
  }

  async #plan(kind: string): Promise<void> {
    if (this.#closed !== undefined) return;
    const running = this.#planning.get(kind);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const mine = { again: false };
    this.#planning.set(kind, mine);
    const planner = this.#planners.get(kind)!;
    try {
      await this.#lasting.restore(planner);
      await this.#stopUnwanted(planner);
      // Lasting jobs wait for agents that run them; until one is there, nothing has to be read.
      const hasTakers = !planner.isLasting || this.#agents.takersOf(kind).agentCount > 0;
      const freeCount = hasTakers ? this.#freeCount(planner) : 0;
      if (freeCount > 0) {
        const planned = await planner.plan({
          nowMs: this.#clock.nowMs(),
          isOpen: (scope) => this.#isOpen(kind, scope),
          lastDoneMs: (scope) => this.#lastDoneMs(kind, scope),
          openScopes: (of = kind) => this.#openScopes(of),
          freeCount,
        });
        for (const job of planned) this.#add(planner, job);
      }
    } catch (error) {
      if (this.#closed === undefined)
        this.#options.log.warn('failed to plan jobs', { kind, error: String(error) });
    } finally {
      this.#planning.delete(kind);
    }
    this.#dispatch();
    if (mine.again) await this.#plan(kind);
  }

  #lastDoneMs(kind: string, scope: string): number | undefined {
    return this.#histories.get({ kind, scope })?.lastDoneMs ?? this.#lasting.endedMs(kind, scope);
  }

  #openScopes(kind: string): string[] {
    return [...this.#jobs.ofKind(kind).map(({ scope }) => scope), ...this.#lasting.stoppingScopes(kind)];
  }

  /** The agent learns it from the answer to its next report, which a claim that ends early makes come at once. */
  #stop(job: OpenJob, why: NonNullable<OpenJob['stopping']>): void {
    const isNew = job.stopping === undefined;
    job.stopping = why;
    if (isNew && job.taker !== undefined) this.#agents.nudge(job.taker);
  }

  /** An agent that runs such a job stops it when it reports. */
  async #stopUnwanted(planner: JobPlanner): Promise<void> {
    if (planner.unwanted === undefined) return;
    const { kind } = planner;
    const jobs = this.#jobs.ofKind(kind);
    const scopes = new Set([
      ...jobs.map(({ scope }) => scope),
      ...this.#lasting.scopesOf(kind),
      ...this.#histories.scopesOf(kind, planner.isLasting === true),
    ]);
    if (scopes.size === 0) return;
    const unwanted = new Set(await planner.unwanted([...scopes]));
    await this.#lasting.markUnwanted(planner, unwanted);
    for (const scope of unwanted) this.#histories.delete({ kind, scope });
    for (const job of jobs) {
      if (!unwanted.has(job.scope) || this.#jobs.get(job.jobId) === undefined) continue;
      if (planner.isLasting && job.agentId !== undefined) this.#stop(job, 'cancelled');
      else this.#drop(job, 'cancelled');
    }
  }

  /** Lasting jobs have limits of their own: many of them must not keep others from being planned. */
  #freeCount({ kind, openMax, isLasting }: JobPlanner): number {
    let [open, passing] = [0, 0];
    for (const job of this.#jobs.all()) {
      if (job.kind === kind) open++;
      if (!this.#lasting.isLasting(job.kind)) passing++;
    }
    return isLasting ? openMax - open : Math.min(openMax - open, metadataLimits.openJobsMax - passing);
  }

  #isOpen(kind: string, scope: string): boolean {
    const history = this.#histories.get({ kind, scope });
    if (history !== undefined && history.retryAtMs > this.#clock.monotonicMs()) return true;
    return this.#jobs.find(kind, scope) !== undefined;
  }

  #add(planner: JobPlanner, { scope, task, agentGroup, spreadBy }: PlannedJob): void {
    const { kind } = planner;
    if (this.#closed !== undefined || this.#freeCount(planner) <= 0 || this.#isOpen(kind, scope)) return;
    const jobId = `${kind}-${this.#options.term}-${++this.#jobCount}`;
    const job: OpenJob = {
      jobId,
      kind,
      scope,
      task,
      plannedMs: this.#clock.nowMs(),
      triedBy: new Set(),
      agentGroup,
      spreadBy,
      agentId: undefined,
      taker: undefined,
      stopping: undefined,
      startedMs: null,
      reportedMs: 0,
      progress: { doneCount: 0, totalCount: -1 },
      checkpoint: this.#histories.get({ kind, scope })?.checkpoint ?? null,
      lossCount: 0,
    };
    this.#jobs.add(job);
    this.#options.metrics.planned(kind);
    this.#lasting.planned(job);
  }

  /** Gives waiting jobs to agents that wait for some. */
  #dispatch(): void {
    if (this.#closed !== undefined) return;
    const isTakingOver = this.#lasting.isTakingOver();
    for (const job of this.#jobs.all()) {
      if (job.agentId !== undefined) continue;
      if (isTakingOver && this.#lasting.isLasting(job.kind)) continue;
      const taker = this.#agents.choose(job);
      if (taker === undefined) continue;
      const { jobId, kind, scope, task, checkpoint } = job;
      const agentId = this.#agents.give(taker, { jobId, kind, scope, task, checkpoint }, job.spreadBy);
      job.agentId = agentId;
      job.taker = taker;
      job.startedMs = this.#clock.nowMs();
      job.reportedMs = this.#clock.monotonicMs();
      job.triedBy.add(agentId);
    }
    this.#agents.release();
  }

  /** A report about a job that this leader has not given to the agent. */
  #reportEarlier(report: JobReport): boolean | Promise<boolean> {
    const { jobId, kind, scope } = report;
    if (kind === undefined || scope === undefined || !this.#lasting.isLasting(kind)) return false;
    this.#start();
    return this.#lasting.report(report, { jobId, kind, scope });
  }

  /** Returns that the agent has the job no more. */
  #succeeded(job: OpenJob, message: string): false | Promise<boolean> {
    this.#drop(job, 'done');
    const history = this.#histories.change(job);
    history.failureCount = 0;
    history.retryAtMs = 0;
    history.checkpoint = null;
    history.failed = undefined;
    history.lastDoneMs = this.#clock.nowMs();
    const listed: ListedJob = { ...this.#listed(job), state: 'done', endedMs: this.#clock.nowMs(), message };
    this.#planners.get(job.kind)?.onEnd?.(listed);
    void this.#plan(job.kind);
    if (this.#planners.get(job.kind)?.ends !== undefined) return this.#lasting.keepEnd(listed);
    this.#done.push(listed);
    if (this.#done.length > metadataLimits.recentJobsMax) this.#done.shift();
    return false;
  }

  #failed(job: OpenJob, message: string, needsOperator = false): void {
    const { clock, log } = this.#options;
    this.#drop(job, 'failed');
    const history = this.#histories.change(job);
    const { retry, steadyMs, onEnd } = this.#planners.get(job.kind)!;
    if (steadyMs !== undefined && ranMs(job, clock) >= steadyMs) history.failureCount = 0;
    const pauseMs = needsOperator ? retry.maxMs : backOffMs(history.failureCount, retry);
    history.failureCount++;
    history.retryAtMs = clock.monotonicMs() + pauseMs;
    history.checkpoint = job.checkpoint;
    const isStopped = needsOperator || history.failureCount >= stoppedAfterFailures;
    history.failed = {
      ...this.#listed(job),
      state: isStopped ? 'stopped' : 'failing',
      endedMs: clock.nowMs(),
      failureCount: history.failureCount,
      retryMs: clock.nowMs() + pauseMs,
      message,
    };
    onEnd?.(history.failed);
    log.warn('failed to run job', {
      kind: job.kind,
      scope: job.scope,
      agentId: job.agentId,
      failureCount: history.failureCount,
      retryInMs: pauseMs,
      error: message,
    });
  }

  /** Its agent is gone or silent. */
  #lose(job: OpenJob): void {
    if (job.stopping === 'cancelled') {
      this.#drop(job, 'cancelled');
      return;
    }
    const { steadyMs } = this.#planners.get(job.kind)!;
    if (steadyMs !== undefined && ranMs(job, this.#clock) >= steadyMs) job.lossCount = 0;
    job.lossCount++;
    if (job.lossCount > lossesMax) {
      this.#failed(job, `agents were lost ${job.lossCount} times while running it, last ${job.agentId}`);
      return;
    }
    this.#options.metrics.ended(job.kind, 'lost');
    this.#putBack(job);
  }

  #putBack(job: OpenJob): void {
    if (job.taker !== undefined) this.#agents.free(job.taker, job.jobId);
    job.agentId = undefined;
    job.taker = undefined;
    job.startedMs = null;
    job.stopping = undefined;
  }

  #drop(job: OpenJob, outcome: string): void {
    this.#jobs.remove(job);
    if (job.taker !== undefined) this.#agents.free(job.taker, job.jobId);
    this.#options.metrics.ended(job.kind, outcome);
  }

  #listed(job: OpenJob): ListedJob {
    const { jobId, kind, scope, plannedMs, startedMs, progress } = job;
    const history = this.#histories.get(job);
    return {
      jobId,
      kind,
      scope,
      state: job.agentId === undefined ? 'waiting' : 'running',
      agentId: job.agentId ?? null,
      plannedMs,
      startedMs,
      endedMs: null,
      progress,
      failureCount: history?.failureCount ?? 0,
      retryMs: null,
      message: history?.failed?.message ?? '',
    };
  }

  #check(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#agents.sweep();
    this.#lasting.sweep();
    for (const job of this.#jobs.list()) {
      if (job.agentId === undefined) continue;
      const isSilent = nowMs - job.reportedMs > jobLeaseMs;
      if (isSilent || !this.#agents.isAlive(job.agentId)) this.#lose(job);
    }
    this.#dispatch();
    for (const { kind, isLasting } of this.#planners.values()) if (isLasting) this.#balance(kind);
  }

  /** Moves one lasting job; the next one moves when this one runs again. */
  #balance(kind: string): void {
    const moved = jobToMove(this.#jobs.ofKind(kind), this.#agents);
    if (moved !== undefined) this.#stop(moved, 'moved');
  }

  #every(intervalMs: number, run: () => void): void {
    const cancel = this.#clock.after(intervalMs, () => {
      this.#timers.delete(cancel);
      this.#every(intervalMs, run);
      run();
    });
    this.#timers.add(cancel);
  }
}

/** What agents say about a failure is listed as one line. */
function boundedProgress(progress: JobProgress): JobProgress {
  const { lastError, lastErrorStage } = progress;
  if (lastError === undefined && lastErrorStage === undefined) return progress;
  const charsMax = metadataLimits.jobMessageCharsMax;
  return {
    ...progress,
    lastError: lastError?.slice(0, charsMax),
    lastErrorStage: lastErrorStage?.slice(0, charsMax),
  };
}

function ranMs({ startedMs }: OpenJob, clock: Clock): number {
  return startedMs === null ? 0 : clock.nowMs() - startedMs;
}
