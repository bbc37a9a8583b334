import {
  type ClaimedJob,
  type HeldJob,
  type JobClaim,
  type JobProgress,
  type JobReport,
  type JobsState,
  jobLeaseMs,
  jobReportIntervalMs,
  type ListedJob,
  NotLeader,
  pipelineKind,
  readPipelineScope,
} from '@weir/cluster';
import { backOffMs, type Clock, type Log } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { KnownAgents } from '../queries/engines.ts';
import { JobAgents, type TakerLoad, takerOf } from './job-agents.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';
import type { JobQueueMetrics } from './job-queue-metrics.ts';

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

/** Waits or runs. */
interface Job {
  readonly jobId: string;
  readonly kind: string;
  readonly scope: string;
  readonly task: Uint8Array;
  readonly plannedMs: number;
  readonly triedBy: Set<string>;
  readonly agentGroup: string | undefined;
  readonly spreadBy: string | undefined;
  /** The agent that runs it; `undefined` while it waits. */
  agentId: string | undefined;
  /** The same agent, as the one that claimed it. */
  taker: string | undefined;
  /** Why its agent has to stop it, while it is open. */
  stopping: 'cancelled' | 'moved' | undefined;
  startedMs: number | null;
  /** When its agent claimed it or last reported, by the monotonic clock. */
  reportedMs: number;
  progress: JobProgress;
  checkpoint: Uint8Array | null;
  /** How often its agent fell silent. */
  lossCount: number;
}

/** A lasting job that an agent runs since before this leader, which has not planned it yet. */
interface EarlierJob extends HeldJob {
  readonly agentId: string;
  readonly taker: string;
  reportedMs: number;
  /** It has to stop, and counts as open until it has. */
  isUnwanted: boolean;
}

/** What is remembered of a scope between its jobs. */
interface ScopeHistory {
  failureCount: number;
  /** By the monotonic clock. */
  retryAtMs: number;
  lastDoneMs: number | undefined;
  /** Where a job that failed can be continued. */
  checkpoint: Uint8Array | null;
  /** The last failure, as it is listed. */
  failed: ListedJob | undefined;
}

/** After this number of failures in a row a job counts as stopped: only an operator can help. */
export const stoppedAfterFailures = 5;

/** How often planners are called, and leases are checked. */
const planIntervalMs = 5_000;
const checkIntervalMs = 1_000;
const planSoonMs = 100;
/** How long agents have to report to a new leader what they run: two reports. */
const takeOverMs = 2 * jobReportIntervalMs;
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
  /** Waiting and running jobs by id, in the order of their planning. */
  readonly #jobs = new Map<string, Job>();
  /** By kind and scope; the one that was changed longest ago first. */
  readonly #histories = new Map<string, ScopeHistory>();
  /** Jobs that were done, the latest last. */
  readonly #done: ListedJob[] = [];
  /** Jobs of planners that keep their ends, by kind and scope. */
  readonly #ended = new Map<string, ListedJob>();
  /** Kinds whose ends were read. */
  readonly #restored = new Set<string>();
  /** By kind and scope. */
  readonly #earlier = new Map<string, EarlierJob>();
  /** Agents that may run jobs of before and have not said so. */
  readonly #unheard: Set<string>;
  readonly #takeOverEndMs: number;
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
    this.#unheard = new Set(options.earlierAgents);
    this.#takeOverEndMs = options.clock.monotonicMs() + takeOverMs;
  }

  async claim(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    if (this.#closed !== undefined) throw this.#closed;
    this.#start();
    const { agentId, runner, held = [], kinds } = claim;
    for (const job of held.slice(0, metadataLimits.heldJobsPerClaimMax)) this.#takeOver(agentId, runner, job);
    const claimed = this.#agents.wait(claim);
    if (kinds.some((kind) => this.#planners.get(kind)?.isLasting)) this.#unheard.delete(agentId);
    this.#dispatch();
    for (const kind of kinds) if (this.#planners.get(kind)?.isLasting) this.planSoon(kind);
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
    job.progress = progress;
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

  /** The jobs of an agent that left go to others at once. */
  forget(agentId: string): void {
    this.#agents.forget(agentId);
    this.#unheard.delete(agentId);
    for (const [place, job] of this.#earlier) if (job.agentId === agentId) this.#earlier.delete(place);
    for (const job of [...this.#jobs.values()]) {
      if (job.agentId !== agentId) continue;
      if (job.stopping === 'cancelled') this.#drop(job, 'cancelled');
      else this.#putBack(job);
    }
    this.#dispatch();
  }

  list(): JobsState {
    const open = [...this.#jobs.values()].map((job) => this.#listed(job));
    const failing = [...this.#histories.values()].flatMap(({ failed }) => failed ?? []);
    const openScopes = new Set(open.map(({ kind, scope }) => placeOf(kind, scope)));
    return {
      jobs: [
        ...open,
        ...failing.filter(({ kind, scope }) => !openScopes.has(placeOf(kind, scope))),
        ...this.#done.toReversed(),
        ...this.#ended.values(),
      ],
      takers: [...this.#planners.keys()].map((kind) => ({ kind, ...this.#agents.takersOf(kind) })),
    };
  }

  /** The progress of instances of pipelines that run, those that were planned first first. */
  runningInstances(): readonly (JobProgress & { readonly pipelineId: string })[] {
    return Array.from(this.#jobs.values()).flatMap(({ kind, scope, agentId, progress }) =>
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
    for (const { kind } of this.#jobs.values()) this.#options.metrics.ended(kind, 'lost_leader');
    this.#jobs.clear();
    this.#earlier.clear();
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
      await this.#restore(planner);
      await this.#stopUnwanted(planner);
      // Lasting jobs wait for agents that run them; until one is there, nothing has to be read.
      const hasTakers = !planner.isLasting || this.#agents.takersOf(kind).agentCount > 0;
      const freeCount = hasTakers ? this.#freeCount(planner) : 0;
      if (freeCount > 0) {
        const planned = await planner.plan({
          nowMs: this.#clock.nowMs(),
          isOpen: (scope) => this.#isOpen(kind, scope),
          lastDoneMs: (scope) => this.#lastDoneMs(placeOf(kind, scope)),
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

  async #restore({ kind, ends }: JobPlanner): Promise<void> {
    if (ends === undefined || this.#restored.has(kind)) return;
    for (const job of await ends.load()) this.#ended.set(placeOf(kind, job.scope), job);
    this.#restored.add(kind);
  }

  #lastDoneMs(place: string): number | undefined {
    return this.#histories.get(place)?.lastDoneMs ?? this.#ended.get(place)?.endedMs ?? undefined;
  }

  /** Also what an agent runs from before, and has to stop. What is wanted is taken over when it is planned. */
  #openScopes(kind: string): string[] {
    const jobs = [...this.#jobs.values(), ...[...this.#earlier.values()].filter((one) => one.isUnwanted)];
    return jobs.flatMap((job) => (job.kind === kind ? [job.scope] : []));
  }

  /** The agent learns it from the answer to its next report, which a claim that ends early makes come at once. */
  #stop(job: Job, why: NonNullable<Job['stopping']>): void {
    const isNew = job.stopping === undefined;
    job.stopping = why;
    if (isNew && job.taker !== undefined) this.#agents.nudge(job.taker);
  }

  /** An agent that runs such a job stops it when it reports. */
  async #stopUnwanted(planner: JobPlanner): Promise<void> {
    if (planner.unwanted === undefined) return;
    const { kind } = planner;
    const jobs = [...this.#jobs.values()].filter((job) => job.kind === kind);
    const earlier = [...this.#earlier.values()].filter((job) => job.kind === kind);
    const scopes = new Set(
      [...jobs, ...earlier].map(({ scope }) => scope).concat(this.#endedScopes(planner)),
    );
    if (scopes.size === 0) return;
    const unwanted = new Set(await planner.unwanted([...scopes]));
    const ended = [...unwanted].filter((scope) => this.#ended.has(placeOf(kind, scope)));
    if (ended.length > 0) await planner.ends?.remove(ended);
    for (const scope of ended) this.#ended.delete(placeOf(kind, scope));
    for (const scope of unwanted) this.#histories.delete(placeOf(kind, scope));
    for (const job of earlier) job.isUnwanted = unwanted.has(job.scope);
    for (const job of jobs) {
      if (!unwanted.has(job.scope) || !this.#jobs.has(job.jobId)) continue;
      if (planner.isLasting && job.agentId !== undefined) this.#stop(job, 'cancelled');
      else this.#drop(job, 'cancelled');
    }
  }

  /** Scopes without a job that are remembered: what failed, and of lasting jobs what was done. */
  #endedScopes({ kind, isLasting }: JobPlanner): string[] {
    const start = placeOf(kind, '');
    const places = [...this.#histories].flatMap(([place, { failed }]) =>
      isLasting || failed !== undefined ? [place] : [],
    );
    return [...places, ...this.#ended.keys()].flatMap((place) =>
      place.startsWith(start) ? [place.slice(start.length)] : [],
    );
  }

  /** Lasting jobs have limits of their own: many of them must not keep others from being planned. */
  #freeCount({ kind, openMax, isLasting }: JobPlanner): number {
    let [open, passing] = [0, 0];
    for (const job of this.#jobs.values()) {
      if (job.kind === kind) open++;
      if (!this.#planners.get(job.kind)?.isLasting) passing++;
    }
    return isLasting ? openMax - open : Math.min(openMax - open, metadataLimits.openJobsMax - passing);
  }

  #isOpen(kind: string, scope: string): boolean {
    const history = this.#histories.get(placeOf(kind, scope));
    if (history !== undefined && history.retryAtMs > this.#clock.monotonicMs()) return true;
    return this.#jobs.values().some((job) => job.kind === kind && job.scope === scope);
  }

  #add(planner: JobPlanner, { scope, task, agentGroup, spreadBy }: PlannedJob): void {
    const { kind } = planner;
    if (this.#closed !== undefined || this.#freeCount(planner) <= 0 || this.#isOpen(kind, scope)) return;
    const jobId = `${kind}-${this.#options.term}-${++this.#jobCount}`;
    const job: Job = {
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
      checkpoint: this.#histories.get(placeOf(kind, scope))?.checkpoint ?? null,
      lossCount: 0,
    };
    this.#jobs.set(jobId, job);
    this.#options.metrics.planned(kind);
    const earlier = this.#earlier.get(placeOf(kind, scope));
    if (earlier !== undefined) this.#adopt(job, earlier);
  }

  /** Gives waiting jobs to agents that wait for some. */
  #dispatch(): void {
    if (this.#closed !== undefined) return;
    const isTakingOver = this.#isTakingOver();
    for (const job of this.#jobs.values()) {
      if (job.agentId !== undefined) continue;
      if (isTakingOver && this.#planners.get(job.kind)?.isLasting) continue;
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

  /** Whether agents may run jobs that this leader does not know yet. */
  #isTakingOver(): boolean {
    if (this.#unheard.size === 0 || this.#clock.monotonicMs() >= this.#takeOverEndMs) return false;
    return [...this.#unheard].some((agentId) => this.#agents.isAlive(agentId));
  }

  /** A report about a job that this leader has not given to the agent. */
  #reportEarlier({
    agentId,
    jobId,
    kind,
    scope,
    runner,
    state,
    progress,
    message,
  }: JobReport): boolean | Promise<boolean> {
    if (kind === undefined || scope === undefined || !this.#planners.get(kind)?.isLasting) return false;
    this.#start();
    if (state === 'running') return this.#takeOver(agentId, runner, { jobId, kind, scope });
    const place = placeOf(kind, scope);
    const earlier = this.#earlier.get(place);
    if (earlier?.jobId === jobId) this.#earlier.delete(place);
    this.planSoon(kind);
    const open = this.#jobs.values().find((job) => job.kind === kind && job.scope === scope);
    if (state !== 'done' || open?.agentId !== undefined || earlier?.isUnwanted) return false;
    // It ended between two leaders.
    if (open !== undefined) this.#drop(open, 'done');
    const nowMs = this.#clock.nowMs();
    const line = message.slice(0, metadataLimits.jobMessageCharsMax);
    return this.#keepEnd({
      jobId,
      kind,
      scope,
      state,
      agentId,
      plannedMs: nowMs,
      startedMs: null,
      endedMs: nowMs,
      progress,
      failureCount: 0,
      retryMs: null,
      message: line,
    });
  }

  /** Lets a lasting job of before run on, if it is wanted and no other agent has it. Returns whether it does. */
  #takeOver(agentId: string, runner: string | undefined, job: HeldJob): boolean {
    const { jobId, kind, scope } = job;
    const place = placeOf(kind, scope);
    const reportedMs = this.#clock.monotonicMs();
    const known = this.#jobs.get(jobId);
    if (known !== undefined) {
      if (known.agentId === agentId) known.reportedMs = reportedMs;
      return known.agentId === agentId && known.stopping === undefined;
    }
    if (!this.#planners.get(kind)?.isLasting || this.#ended.has(place)) return false;
    const earlier = this.#earlier.get(place);
    if (earlier !== undefined && earlier.jobId !== jobId) return false;
    const found: EarlierJob = earlier ?? {
      ...job,
      agentId,
      taker: takerOf(agentId, runner),
      reportedMs,
      isUnwanted: false,
    };
    found.reportedMs = reportedMs;
    const open = this.#jobs.values().find((other) => other.kind === kind && other.scope === scope);
    if (open?.agentId !== undefined) return false;
    if (open !== undefined) this.#adopt(open, found);
    else if (earlier === undefined) {
      // Agents say so within two reports; who comes later was given up.
      if (reportedMs >= this.#takeOverEndMs) return false;
      this.#earlier.set(place, found);
      this.planSoon(kind);
    }
    return !found.isUnwanted;
  }

  /** A job that waits is the one that an agent runs. */
  #adopt(job: Job, { jobId, agentId, taker, reportedMs }: EarlierJob): void {
    this.#earlier.delete(placeOf(job.kind, job.scope));
    this.#jobs.delete(job.jobId);
    this.#jobs.set(jobId, { ...job, jobId, agentId, taker, reportedMs, startedMs: this.#clock.nowMs() });
    this.#agents.hold(taker, agentId, jobId, job.spreadBy);
  }

  async #keepEnd(job: ListedJob): Promise<boolean> {
    this.#ended.set(placeOf(job.kind, job.scope), job);
    await this.#planners.get(job.kind)?.ends?.put(job);
    return false;
  }

  /** Returns that the agent has the job no more. */
  #succeeded(job: Job, message: string): false | Promise<boolean> {
    this.#drop(job, 'done');
    const history = this.#historyOf(job);
    history.failureCount = 0;
    history.retryAtMs = 0;
    history.checkpoint = null;
    history.failed = undefined;
    history.lastDoneMs = this.#clock.nowMs();
    const listed: ListedJob = { ...this.#listed(job), state: 'done', endedMs: this.#clock.nowMs(), message };
    this.#planners.get(job.kind)?.onEnd?.(listed);
    void this.#plan(job.kind);
    if (this.#planners.get(job.kind)?.ends !== undefined) return this.#keepEnd(listed);
    this.#done.push(listed);
    if (this.#done.length > metadataLimits.recentJobsMax) this.#done.shift();
    return false;
  }

  #failed(job: Job, message: string, needsOperator = false): void {
    const { clock, log } = this.#options;
    this.#drop(job, 'failed');
    const history = this.#historyOf(job);
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
  #lose(job: Job): void {
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

  #putBack(job: Job): void {
    if (job.taker !== undefined) this.#agents.free(job.taker, job.jobId);
    job.agentId = undefined;
    job.taker = undefined;
    job.startedMs = null;
    job.stopping = undefined;
  }

  #drop(job: Job, outcome: string): void {
    this.#jobs.delete(job.jobId);
    if (job.taker !== undefined) this.#agents.free(job.taker, job.jobId);
    this.#options.metrics.ended(job.kind, outcome);
  }

  #historyOf({ kind, scope }: Job): ScopeHistory {
    const place = placeOf(kind, scope);
    const history = this.#histories.get(place) ?? {
      failureCount: 0,
      retryAtMs: 0,
      lastDoneMs: undefined,
      checkpoint: null,
      failed: undefined,
    };
    this.#histories.delete(place);
    this.#histories.set(place, history);
    if (this.#histories.size > metadataLimits.jobScopesMax)
      this.#histories.delete(this.#histories.keys().next().value!);
    return history;
  }

  #listed(job: Job): ListedJob {
    const { jobId, kind, scope, plannedMs, startedMs, progress } = job;
    const history = this.#histories.get(placeOf(kind, scope));
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
    for (const [place, { agentId, reportedMs }] of this.#earlier)
      if (nowMs - reportedMs > jobLeaseMs || !this.#agents.isAlive(agentId)) this.#earlier.delete(place);
    for (const job of [...this.#jobs.values()]) {
      if (job.agentId === undefined) continue;
      const isSilent = nowMs - job.reportedMs > jobLeaseMs;
      if (isSilent || !this.#agents.isAlive(job.agentId)) this.#lose(job);
    }
    this.#dispatch();
    for (const planner of this.#planners.values()) if (planner.isLasting) this.#balance(planner);
  }

  /**
   * Moves one lasting job from an agent with many to one with few, as when an agent was started. The next one moves
   * when this one runs again.
   */
  #balance({ kind }: JobPlanner): void {
    const jobs = [...this.#jobs.values()].filter((job) => job.kind === kind);
    if (jobs.some(({ taker, stopping }) => taker === undefined || stopping !== undefined)) return;
    const moved = jobs.find((job) => {
      const loads = this.#agents.loadsFor(job, job.taker!);
      const own = loads.find(({ taker }) => taker === job.taker);
      return own !== undefined && loads.some((other) => isBetterPlace(other, own));
    });
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

function placeOf(kind: string, scope: string): string {
  return `${kind}/${scope}`;
}

/** Whether a job of `from` is better at `to`; never true in both directions. */
function isBetterPlace(to: TakerLoad, from: TakerLoad): boolean {
  const fewer = from.count - to.count;
  const fewerAlike = from.spreadCount - to.spreadCount;
  return (fewer >= 2 && fewerAlike >= 0) || (fewer >= 1 && fewerAlike >= 2);
}

function ranMs({ startedMs }: Job, clock: Clock): number {
  return startedMs === null ? 0 : clock.nowMs() - startedMs;
}
