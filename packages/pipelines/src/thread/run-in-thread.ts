import { Worker } from 'node:worker_threads';
import type { Clock, LogFields, LogLevel } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import type { FromThread, PipelineCounts, ThreadStart, ToThread } from './thread-messages.ts';

/** An instance that ended by a failure. The message is one line. */
export class InstanceFailed extends Error {
  override readonly name = 'InstanceFailed';
  /** Whether it will fail again until someone changes its configuration. */
  readonly needsOperator: boolean;

  constructor(message: string, needsOperator = false) {
    super(message);
    this.needsOperator = needsOperator;
  }
}

export interface ThreadOwner {
  readonly clock: Clock;
  /** When aborted, the instance writes what it has read, and ends. */
  readonly signal: AbortSignal;
  /** How long that may take, if less than usual. Asked when the signal is aborted. */
  readonly drainMsMax?: (() => number | undefined) | undefined;
  onLog(level: LogLevel, message: string, fields: LogFields): void;
  onCounts(counts: PipelineCounts): void;
  /** Resolves when bytes may be read. */
  take(bytes: number): Promise<void>;
  /** Where limits differ. */
  readonly limits?: Partial<ThreadLimits> | undefined;
  /** Tests have threads of their own. */
  readonly worker?: URL | undefined;
}

type ThreadLimits =
  Pick<
    typeof pipelineLimits,
    'threadHeapMiBMax' | 'threadBufferMiBMax' | 'silenceMsMax' | 'drainMsMax' | 'beatMs'
  > extends infer Limits
    ? { readonly [Name in keyof Limits]: number }
    : never;

/**
 * Runs an instance of a pipeline in a thread of its own, without the environment of the process. A thread that uses too
 * much memory, that does not answer, or that does not end in time is ended; nothing else notices.
 */
export async function runInThread(start: ThreadStart, owner: ThreadOwner): Promise<void> {
  const { signal } = owner;
  if (signal.aborted) return;
  const limits = { ...pipelineLimits, ...owner.limits };
  const worker = new Worker(owner.worker ?? new URL(import.meta.resolve('./pipeline-worker.ts')), {
    workerData: start,
    env: {},
    argv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.threadHeapMiBMax,
      maxYoungGenerationSizeMb: youngMiB,
    },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const ended = Promise.withResolvers<void>();
  const fail = (message: string, needsOperator = false) =>
    ended.reject(new InstanceFailed(message, needsOperator));
  const tell = (message: ToThread) => worker.postMessage(message);
  const watch = new ThreadWatch(worker, owner.clock, limits, fail);
  worker.on('message', (message: FromThread) => {
    watch.heard();
    if (message.kind === 'beat') {
      watch.isIdle = message.isIdle;
      if (message.counts !== undefined) owner.onCounts(message.counts);
    } else if (message.kind === 'log') owner.onLog(message.level, message.message, message.fields);
    else if (message.kind === 'take') void owner.take(message.bytes).then(() => tell({ kind: 'granted' }));
    else if (message.problem === undefined) ended.resolve();
    else fail(message.problem, message.needsOperator);
  });
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? memoryProblem(limits.threadHeapMiBMax)
        : `the thread failed: ${oneLine(error)}`,
    ),
  );
  worker.on('exit', () => fail('the thread ended'));
  const stop = () => {
    tell({ kind: 'stop' });
    watch.endsBy(owner.drainMsMax?.() ?? limits.drainMsMax);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    watch.stop();
    await worker.terminate();
  }
}

const youngMiB = 32;

function memoryProblem(mib: number): string {
  return `it used more than ${mib} MiB of memory`;
}

function oneLine(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return message.replaceAll(/\s*\n\s*/g, ' ');
}

/** Sees from outside whether a thread answers, and how much memory it has beside its heap. */
class ThreadWatch {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #limits: ThreadLimits;
  readonly #fail: (message: string) => void;
  #heardMs: number;
  #endMs = Number.POSITIVE_INFINITY;
  /** Whether it said so. Asking it for its memory would wake it up. */
  isIdle = false;
  #isAsking = false;
  #cancel = () => {};

  constructor(worker: Worker, clock: Clock, limits: ThreadLimits, fail: (message: string) => void) {
    this.#worker = worker;
    this.#clock = clock;
    this.#limits = limits;
    this.#fail = fail;
    this.#heardMs = clock.monotonicMs();
    this.#schedule();
  }

  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
  }

  endsBy(ms: number): void {
    this.#endMs = this.#clock.monotonicMs() + ms;
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#limits.beatMs, () => {
      this.#schedule();
      this.#look();
    });
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    const { silenceMsMax } = this.#limits;
    if (nowMs - this.#heardMs > silenceMsMax)
      this.#fail(`it did not yield for ${Math.round(silenceMsMax / 1000)} s`);
    if (nowMs > this.#endMs) this.#fail('it did not end in time');
    if (!this.isIdle && !this.#isAsking) void this.#askMemory();
  }

  /** Buffers are not in the heap, whose limit the thread itself has. */
  async #askMemory(): Promise<void> {
    this.#isAsking = true;
    try {
      const { external_memory: bytes } = await this.#worker.getHeapStatistics();
      const { threadBufferMiBMax } = this.#limits;
      if (bytes > threadBufferMiBMax * 1024 * 1024) this.#fail(memoryProblem(threadBufferMiBMax));
    } catch {
      // It has ended.
    } finally {
      this.#isAsking = false;
    }
  }
}
