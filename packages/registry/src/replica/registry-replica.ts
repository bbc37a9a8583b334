import { CallNotDone, type ClusterPort, ClusterUnavailable, type RegistryChangeResult } from '@weir/cluster';
import { type Clock, jitteredBackOffMs, type Log, type Random, retainedCopy } from '@weir/core';
import { registryLimits } from '../limits.ts';
import { RegistryError } from '../registry-error.ts';
import type { Decision, RegistryStore } from '../registry-store.ts';
import { RegistryState } from '../state/registry-state.ts';
import { decideTogether, type WriteJob } from './decide-together.ts';
import { RegistryReader } from './registry-reader.ts';

/** Announces changes of the registry, as the change stream of a cluster does. */
export interface RegistryChangeStream {
  /** The revision as of the last change that is known. */
  registryRevision(): number;
  /** Calls `run` whenever the registry may have changed. Returns a function that ends that. */
  onRegistryChange(run: () => void): () => void;
}

interface RegistryReplicaOptions {
  readonly port: Pick<ClusterPort, 'readRegistry' | 'changeRegistry'>;
  /** Absent where the state is brought up to date by `refresh` alone. */
  readonly changes?: RegistryChangeStream | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Tests have states of their own. */
  readonly newState?: () => RegistryState;
}

const staleBackOff = { firstMs: 2, maxMs: 250, jitter: 'full' } as const;

/**
 * The registry of a cluster, replicated in this process. Nothing is read before the first use.
 *
 * Reads and commits take turns: a commit is decided on a state that has everything which was read, and its changes come
 * into the state when they are durable. While the control plane is away the state stays readable.
 */
export class RegistryReplica implements RegistryStore {
  readonly #options: RegistryReplicaOptions;
  readonly #reader: RegistryReader;
  /** Writes to decide, the oldest first. */
  #queue: WriteJob[] = [];
  /** How many of the next writes are committed alone, because together they exceeded a limit. */
  #aloneCount = 0;
  #isWriting = false;
  #isLoaded = false;
  #isClosed = false;
  #willFollow = false;
  #loading: Promise<void> | undefined;
  /** The read that begins next; callers that come meanwhile share it. */
  #nextRead: Promise<void> | undefined;
  /** Resolves when the read or the commit that was last begun is done. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #endChanges: () => void;

  constructor(options: RegistryReplicaOptions) {
    this.#options = options;
    const newState = options.newState ?? (() => new RegistryState());
    this.#reader = new RegistryReader({
      port: options.port,
      pageBytesMax: registryLimits.registryReadBytes,
      newState,
      pause: () => this.#pause(0),
    });
    this.#endChanges = options.changes?.onRegistryChange(() => this.#onChange()) ?? (() => {});
  }

  /** Empty until `ready`. */
  get state(): RegistryState {
    return this.#reader.state;
  }

  /** Waits until the state was read once. Whatever answers reads calls it first. */
  ready(): Promise<void> {
    if (this.#isLoaded) return Promise.resolve();
    this.#loading ??= this.refresh().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  refresh(): Promise<void> {
    // A read that has begun may miss what was acknowledged since.
    this.#nextRead ??= this.#inTurn(() => {
      this.#nextRead = undefined;
      return this.#read();
    });
    return this.#nextRead;
  }

  write<Reply>(decide: (state: RegistryState) => Decision<Reply>): Promise<Reply> {
    if (this.#isClosed) return Promise.reject(closedError());
    if (this.#queue.length >= registryLimits.registryWritesWaitingMax)
      return Promise.reject(new RegistryError('storeError', 'too many writes are waiting; retry later'));
    return new Promise((resolve, reject) => {
      const deadlineMs = this.#options.clock.monotonicMs() + registryLimits.registryWriteMsMax;
      // Safe cast: the reply that a job gets is what its own `decide` returned.
      this.#enqueue({ decide, resolve: resolve as (reply: unknown) => void, reject, deadlineMs });
    });
  }

  /** Ends following. Writes that wait are refused. */
  close(): void {
    this.#isClosed = true;
    this.#endChanges();
    for (const { reject } of this.#queue.splice(0)) reject(closedError());
  }

  #onChange(): void {
    if (!this.#isLoaded || this.#isClosed || this.#willFollow) return;
    this.#willFollow = true;
    const { changes, log } = this.#options;
    const follow = async () => {
      this.#willFollow = false;
      // Often the change is that of the commit before.
      if (changes!.registryRevision() !== this.state.revision) await this.#read();
    };
    this.#inTurn(follow).catch((error: unknown) => {
      log.warn('failed to read the schema registry', { error: String(error) });
    });
  }

  /** Runs a read or a commit after those that were begun before. */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(run, run);
    this.#turn = result.catch(() => {});
    return result;
  }

  async #read(): Promise<void> {
    try {
      await this.#reader.read();
      this.#isLoaded = true;
    } catch (error) {
      throw registryErrorOf(error, this.#options.log);
    }
  }

  #enqueue(job: WriteJob): void {
    this.#queue.push(job);
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    let staleCount = 0;
    while (this.#queue.length > 0) {
      // Gathers what is written in the same moment.
      await Promise.resolve();
      const isStale = await this.#inTurn(() => this.#writeSome());
      staleCount = isStale ? staleCount + 1 : 0;
      if (isStale) await this.#pause(jitteredBackOffMs(staleCount - 1, staleBackOff, this.#options.random));
    }
    this.#isWriting = false;
  }

  /** Commits some writes. Returns whether another writer was first. */
  async #writeSome(): Promise<boolean> {
    let jobs: readonly WriteJob[] = [];
    try {
      if (!this.#isLoaded) await this.#read();
      this.#rejectLate();
      const { state } = this;
      const decided = decideTogether(state, this.#queue, this.#aloneCount > 0 ? 1 : undefined);
      this.#queue = this.#queue.slice(decided.taken);
      for (const { job, after } of decided.postponed) this.#postpone(job, after);
      const { changes, settlements } = decided;
      jobs = settlements.map(({ job }) => job);
      if (jobs.length === 0) return false;
      const result = await this.#options.port.changeRegistry({ expectedRevision: state.revision, changes });
      if (result.error === 'STALE') {
        this.#queue.unshift(...jobs);
        await this.#read();
        return true;
      }
      this.#aloneCount = Math.max(0, this.#aloneCount - jobs.length);
      if (result.error === 'NONE') {
        // The state retains values, and those of decisions lie in memory that many callers share.
        for (const { key, value } of changes) state.apply(key, value && retainedCopy(value));
        state.revision = result.revision;
        for (const { settle } of settlements) settle();
      } else {
        this.#onRefusal(jobs, result);
      }
    } catch (error) {
      const failure = registryErrorOf(error, this.#options.log);
      // Without an entry of its own, a failed read is the failure of the next write.
      const failed = jobs.length > 0 ? jobs : this.#queue.splice(0, 1);
      this.#queue = this.#queue.filter((job) => !failed.includes(job));
      for (const { reject } of failed) reject(failure);
    }
    return false;
  }

  #onRefusal(jobs: readonly WriteJob[], { message }: RegistryChangeResult): void {
    if (jobs.length === 1) {
      jobs[0]!.reject(new RegistryError('storeError', message ?? 'the registry is full'));
      return;
    }
    this.#aloneCount = jobs.length;
    this.#queue.unshift(...jobs);
  }

  /** The job is decided again after the work that it needs. */
  #postpone(job: WriteJob, after: Promise<void>): void {
    after.then(
      () => {
        if (this.#isClosed) job.reject(closedError());
        else this.#enqueue(job);
      },
      (error: unknown) => job.reject(error),
    );
  }

  #rejectLate(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const late = this.#queue.filter(({ deadlineMs }) => deadlineMs < nowMs);
    if (late.length === 0) return;
    this.#queue = this.#queue.filter((job) => !late.includes(job));
    for (const { reject } of late)
      reject(new RegistryError('timeout', 'concurrent writes conflicted too often; retry later'));
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(delayMs, resolve);
    });
  }
}

function closedError(): RegistryError {
  return new RegistryError('noLeader', 'the process is stopping');
}

/** The error that callers of the registry receive when the control plane did not answer. */
function registryErrorOf(error: unknown, log: Log): Error {
  if (error instanceof CallNotDone)
    return new RegistryError('noLeader', 'the control plane is not available; retry later');
  if (error instanceof ClusterUnavailable)
    return new RegistryError('timeout', 'the control plane did not respond in time; retry later');
  if (error instanceof RegistryError) return error;
  // Clients of the registry learn no addresses and paths of the process.
  log.error('failed to use the entries of the schema registry', { error: String(error) });
  return new RegistryError('storeError', 'the registry could not be read or changed; retry later');
}
