import { type HeldJob, type JobReport, jobLeaseMs, jobReportIntervalMs, type ListedJob } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import { type JobAgents, takerOf } from './job-agents.ts';
import type { JobPlanner } from './job-planner.ts';
import { type OpenJob, type OpenJobs, placeOf } from './open-jobs.ts';

interface LastingJobsOptions {
  readonly planners: ReadonlyMap<string, JobPlanner>;
  readonly clock: Clock;
  readonly agents: JobAgents;
  /** Jobs that this leader planned. */
  readonly open: OpenJobs;
  /** Agents that the leader before knew: what they run is not handed out before they had time to say so. */
  readonly earlierAgents?: readonly string[] | undefined;
  /** There may be something to do for a kind of job. */
  readonly planSoon: (kind: string) => void;
  /** Takes a job that waits from the open ones: it was done elsewhere. */
  readonly dropDone: (job: OpenJob) => void;
}

/** A lasting job that an agent runs since before this leader, which has not planned it yet. */
interface EarlierJob extends HeldJob {
  readonly agentId: string;
  readonly taker: string;
  reportedMs: number;
  /** It has to stop, and counts as open until it has. */
  isUnwanted: boolean;
}

/** How long agents have to report to a new leader what they run: two reports. */
const takeOverMs = 2 * jobReportIntervalMs;

/**
 * What a leader knows of lasting jobs beside those that it planned: which ones agents run since before it, and which
 * ended, also under another leader.
 */
export class LastingJobs {
  readonly #options: LastingJobsOptions;
  readonly #clock: Clock;
  /** Jobs of planners that keep their ends, by kind and scope. */
  readonly #ended = new Map<string, ListedJob>();
  /** Kinds whose ends were read. */
  readonly #restored = new Set<string>();
  /** By kind and scope. */
  readonly #earlier = new Map<string, EarlierJob>();
  /** Agents that may run jobs of before and have not said so. */
  readonly #unheard: Set<string>;
  readonly #takeOverEndMs: number;

  constructor(options: LastingJobsOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#unheard = new Set(options.earlierAgents);
    this.#takeOverEndMs = options.clock.monotonicMs() + takeOverMs;
  }

  isLasting(kind: string): boolean {
    return this.#options.planners.get(kind)?.isLasting === true;
  }

  /** An agent has named what it runs. */
  heard(agentId: string): void {
    this.#unheard.delete(agentId);
  }

  /** Whether agents may run jobs that this leader does not know yet. */
  isTakingOver(): boolean {
    if (this.#unheard.size === 0 || this.#clock.monotonicMs() >= this.#takeOverEndMs) return false;
    return [...this.#unheard].some((agentId) => this.#options.agents.isAlive(agentId));
  }

  /** Lets a lasting job of before run on, if it is wanted and no other agent has it. Returns whether it does. */
  takeOver(agentId: string, runner: string | undefined, job: HeldJob): boolean {
    const { jobId, kind, scope } = job;
    const place = placeOf(kind, scope);
    const reportedMs = this.#clock.monotonicMs();
    const known = this.#options.open.get(jobId);
    if (known !== undefined) {
      if (known.agentId === agentId) known.reportedMs = reportedMs;
      return known.agentId === agentId && known.stopping === undefined;
    }
    if (!this.isLasting(kind) || this.#ended.has(place)) return false;
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
    const open = this.#options.open.find(kind, scope);
    if (open?.agentId !== undefined) return false;
    if (open !== undefined) this.#adopt(open, found);
    else if (earlier === undefined) {
      // Agents say so within two reports; who comes later was given up.
      if (reportedMs >= this.#takeOverEndMs) return false;
      this.#earlier.set(place, found);
      this.#options.planSoon(kind);
    }
    return !found.isUnwanted;
  }

  /** A job was planned; if an agent runs it since before, it is that one. */
  planned(job: OpenJob): void {
    const earlier = this.#earlier.get(placeOf(job.kind, job.scope));
    if (earlier !== undefined) this.#adopt(job, earlier);
  }

  #adopt(job: OpenJob, { jobId, agentId, taker, reportedMs }: EarlierJob): void {
    const { open, agents } = this.#options;
    this.#earlier.delete(placeOf(job.kind, job.scope));
    open.remove(job);
    open.add({ ...job, jobId, agentId, taker, reportedMs, startedMs: this.#clock.nowMs() });
    agents.hold(taker, agentId, jobId, job.spreadBy);
  }

  /** A report about a lasting job that this leader has not given to the agent. */
  report(report: JobReport, { jobId, kind, scope }: HeldJob): boolean | Promise<boolean> {
    const { agentId, runner, state, progress, message } = report;
    if (state === 'running') return this.takeOver(agentId, runner, { jobId, kind, scope });
    const { open, planSoon, dropDone } = this.#options;
    const place = placeOf(kind, scope);
    const earlier = this.#earlier.get(place);
    if (earlier?.jobId === jobId) this.#earlier.delete(place);
    planSoon(kind);
    const planned = open.find(kind, scope);
    if (state !== 'done' || planned?.agentId !== undefined || earlier?.isUnwanted) return false;
    // It ended between two leaders.
    if (planned !== undefined) dropDone(planned);
    const nowMs = this.#clock.nowMs();
    return this.keepEnd({
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
      message: message.slice(0, metadataLimits.jobMessageCharsMax),
    });
  }

  /** Scopes of jobs that agents run from before and have to stop. What is wanted is taken over when it is planned. */
  stoppingScopes(kind: string): string[] {
    return [...this.#earlier.values()].flatMap((job) =>
      job.kind === kind && job.isUnwanted ? [job.scope] : [],
    );
  }

  /** Scopes of a kind that agents run from before, and of those that ended. */
  scopesOf(kind: string): string[] {
    return [...this.#earlier.values(), ...this.#ended.values()].flatMap((job) =>
      job.kind === kind ? [job.scope] : [],
    );
  }

  /** Of a planner, these scopes are to stop, and no others: their ends are forgotten. */
  async markUnwanted({ kind, ends }: JobPlanner, unwanted: ReadonlySet<string>): Promise<void> {
    const ended = [...unwanted].filter((scope) => this.#ended.has(placeOf(kind, scope)));
    if (ended.length > 0) await ends?.remove(ended);
    for (const scope of ended) this.#ended.delete(placeOf(kind, scope));
    for (const job of this.#earlier.values()) if (job.kind === kind) job.isUnwanted = unwanted.has(job.scope);
  }

  /** Reads the ends that are kept of a kind. */
  async restore({ kind, ends }: JobPlanner): Promise<void> {
    if (ends === undefined || this.#restored.has(kind)) return;
    for (const job of await ends.load()) this.#ended.set(placeOf(kind, job.scope), job);
    this.#restored.add(kind);
  }

  /** Returns that the agent has the job no more, when its end is durable. */
  async keepEnd(job: ListedJob): Promise<false> {
    this.#ended.set(placeOf(job.kind, job.scope), job);
    await this.#options.planners.get(job.kind)?.ends?.put(job);
    return false;
  }

  endedMs(kind: string, scope: string): number | undefined {
    return this.#ended.get(placeOf(kind, scope))?.endedMs ?? undefined;
  }

  ended(): Iterable<ListedJob> {
    return this.#ended.values();
  }

  /** An agent left. */
  forget(agentId: string): void {
    this.#unheard.delete(agentId);
    for (const [place, job] of this.#earlier) if (job.agentId === agentId) this.#earlier.delete(place);
  }

  /** Drops jobs of before whose agents are gone or silent. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [place, { agentId, reportedMs }] of this.#earlier)
      if (nowMs - reportedMs > jobLeaseMs || !this.#options.agents.isAlive(agentId))
        this.#earlier.delete(place);
  }

  close(): void {
    this.#earlier.clear();
  }
}
