import { Worker } from 'node:worker_threads';
import type { Clock } from '@weir/core';
import { registryLimits } from '../limits.ts';
import { RegistryError } from '../registry-error.ts';
import type { PayloadResult, PayloadTask } from './payload-task.ts';
import type { SchemaResult, SchemaTask, ThreadAnswer } from './schema-task.ts';
import { WaitingJobs } from './waiting-jobs.ts';

interface SchemaPoolOptions {
  readonly clock: Clock;
  /** The file of a thread. Default: the one with the formats of the product. */
  readonly workerUrl?: URL | undefined;
  readonly threadsMax?: number | undefined;
  readonly waitingMax?: number | undefined;
  readonly waitingPerClientMax?: number | undefined;
  /** How long one task may take. */
  readonly taskMsMax?: number | undefined;
  /** How long an idle thread stays alive. */
  readonly idleMs?: number | undefined;
}

/** For whom work is done. */
export interface WorkCaller {
  /** A principal, or the address of a client without one. Clients take turns. */
  readonly client: string;
  /** Aborted when the result is not waited for any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The process itself, such as schema linking. */
export const ownCaller: WorkCaller = { client: '' };

interface Job {
  readonly task: SchemaTask | PayloadTask;
  readonly client: string;
  /** By the monotonic clock: its request has timed out by then. */
  readonly deadlineMs: number;
  resolve(result: SchemaResult | PayloadResult): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  cancelTimer(): void;
}

/** The heap of a thread. The largest schema that the registry takes needs a fraction of it. */
const threadHeapMiBMax = 256;

/** How long a task waits for a thread, in times that one task may take. */
const waitTasksMax = 3;

/**
 * Parses and compares large schemas on threads, and decodes and encodes large payloads, so that the serving thread
 * stays free. Work that takes too long, or too much memory, costs its thread and is refused; so does work whose caller
 * has gone. Threads start with the first work and end when idle.
 *
 * Clients take turns, and none has every thread: one whose work takes long delays only itself.
 */
export class SchemaPool {
  readonly #clock: Clock;
  readonly #workerUrl: URL;
  readonly #threadsMax: number;
  readonly #waitingMax: number;
  readonly #waitingPerClientMax: number;
  readonly #threadsPerClientMax: number;
  readonly #taskMsMax: number;
  readonly #idleMs: number;
  readonly #threads = new Set<Thread>();
  readonly #waiting = new WaitingJobs<Job>();
  #isEnded = false;

  constructor(options: SchemaPoolOptions) {
    this.#clock = options.clock;
    this.#workerUrl = options.workerUrl ?? new URL(import.meta.resolve('./schema-worker.ts'));
    this.#threadsMax = options.threadsMax ?? registryLimits.schemaWorkThreadsMax;
    this.#threadsPerClientMax = Math.max(1, this.#threadsMax - 1);
    this.#waitingMax = options.waitingMax ?? registryLimits.schemaWorkWaitingMax;
    this.#waitingPerClientMax = options.waitingPerClientMax ?? registryLimits.schemaWorkWaitingPerClientMax;
    this.#taskMsMax = options.taskMsMax ?? registryLimits.schemaWorkMsMax;
    this.#idleMs = options.idleMs ?? 60_000;
  }

  /** The current number of threads. */
  get threads(): number {
    return this.#threads.size;
  }

  run(task: SchemaTask, caller?: WorkCaller): Promise<SchemaResult>;
  run(task: PayloadTask, caller?: WorkCaller): Promise<PayloadResult>;
  run(
    task: SchemaTask | PayloadTask,
    { client, signal }: WorkCaller = ownCaller,
  ): Promise<SchemaResult | PayloadResult> {
    const deadlineMs = this.#clock.monotonicMs() + waitTasksMax * this.#taskMsMax;
    const { promise, resolve, reject } = Promise.withResolvers<SchemaResult | PayloadResult>();
    const job: Job = { task, client, deadlineMs, resolve, reject };
    if (this.#isEnded) reject(ended());
    else if (signal?.aborted === true) reject(givenUp());
    else if (this.#isFull(client)) reject(busy());
    else this.#give(job);
    if (signal === undefined) return promise;
    const giveUp = () => this.#giveUp(job);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  /** Ends the threads. Tasks that still wait are rejected. */
  async end(): Promise<void> {
    this.#isEnded = true;
    for (const job of this.#waiting.takeAll()) job.reject(ended());
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #isFull(client: string): boolean {
    return (
      this.#waiting.count >= this.#waitingMax || this.#waiting.countOf(client) >= this.#waitingPerClientMax
    );
  }

  /** Whether a client may have one more thread. */
  #mayRun(client: string): boolean {
    let running = 0;
    for (const { job } of this.#threads) if (job?.client === client) running++;
    return running < this.#threadsPerClientMax;
  }

  #give(job: Job): void {
    const thread = this.#mayRun(job.client) ? this.#freeThread() : undefined;
    if (thread === undefined) this.#waiting.add(job);
    else this.#run(thread, job);
  }

  #freeThread(): Thread | undefined {
    const idle = [...this.#threads].find((thread) => thread.job === undefined);
    return idle ?? (this.#threads.size < this.#threadsMax ? this.#startThread() : undefined);
  }

  /** The next task that a request still waits for. */
  #next(): Job | undefined {
    for (;;) {
      const job = this.#waiting.take((client) => this.#mayRun(client));
      if (job === undefined || this.#clock.monotonicMs() <= job.deadlineMs) return job;
      job.reject(busy());
    }
  }

  /** The thread of a task that runs ends with it: parsing cannot be interrupted otherwise. */
  #giveUp(job: Job): void {
    job.reject(givenUp());
    if (this.#waiting.remove(job)) return;
    const thread = [...this.#threads].find((running) => running.job === job);
    if (thread === undefined) return;
    thread.job = undefined;
    this.#drop(thread);
  }

  #run(thread: Thread, job: Job): void {
    thread.cancelTimer();
    thread.job = job;
    thread.worker.ref();
    thread.cancelTimer = this.#clock.after(this.#taskMsMax, () => {
      thread.job = undefined;
      job.resolve({ kind: 'tooLarge', problem: 'it takes too long to check; make it smaller or simpler' });
      this.#drop(thread);
    });
    thread.worker.postMessage(job.task);
  }

  #startThread(): Thread {
    const worker = new Worker(this.#workerUrl, {
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMiBMax },
    });
    const thread: Thread = { worker, job: undefined, cancelTimer: () => {} };
    this.#threads.add(thread);
    worker.on('message', (answer: ThreadAnswer) => {
      const { job } = thread;
      if (job === undefined) return;
      if ('failure' in answer) job.reject(new Error(answer.failure));
      else job.resolve(answer.result);
      this.#rest(thread);
    });
    worker.on('error', (error: Error & { code?: string }) => {
      const { job } = thread;
      thread.job = undefined;
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        job?.resolve({
          kind: 'tooLarge',
          problem: 'it takes too much memory to check; make it smaller or simpler',
        });
      else job?.reject(new Error(`a thread that checks schemas failed: ${error.message}`));
      // It still ends; no other task may get it meanwhile.
      this.#drop(thread);
    });
    worker.on('exit', () => {
      thread.job?.reject(this.#isEnded ? ended() : new Error('a thread that checks schemas ended'));
      thread.job = undefined;
      this.#drop(thread);
    });
    return thread;
  }

  /** Ends a thread. The next task that waits gets a new one. */
  #drop(thread: Thread): void {
    thread.cancelTimer();
    if (!this.#threads.delete(thread)) return;
    void thread.worker.terminate();
    const next = this.#isEnded ? undefined : this.#next();
    if (next !== undefined) this.#give(next);
  }

  /** Gives the thread the next task. Without one, the thread no longer holds the process open and ends when idle. */
  #rest(thread: Thread): void {
    thread.cancelTimer();
    thread.job = undefined;
    const next = this.#next();
    if (next !== undefined) {
      this.#run(thread, next);
      return;
    }
    thread.worker.unref();
    thread.cancelTimer = this.#clock.after(this.#idleMs, () => this.#drop(thread));
  }
}

function ended(): RegistryError {
  return new RegistryError('timeout', 'The registry is stopping; send the request again.');
}

function givenUp(): RegistryError {
  return new RegistryError('timeout', 'The request was given up before its schemas were checked.');
}

function busy(): RegistryError {
  return new RegistryError(
    'timeout',
    'Too many large schemas wait to be checked; send the request again later.',
  );
}
