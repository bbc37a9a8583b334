import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Clock } from '@weir/core';
import { eventLimits } from '../limits.ts';
import type { Evaluator, ScanPart } from './evaluator.ts';
import type { ScanResult } from './scan.ts';
import type { WorkerAnswer, WorkerQuestion } from './worker-message.ts';

export interface WorkerPoolOptions {
  readonly clock: Clock;
  /** The maximum number of threads. Default: the number of cores minus one for the serving thread. */
  readonly size?: number | undefined;
  /** How long an idle thread stays alive. */
  readonly idleMs?: number | undefined;
}

export interface WorkerPool extends Evaluator {
  /** The current number of threads. */
  readonly threads: number;
  /** Ends the threads. Tasks that still wait are rejected. */
  end(): Promise<void>;
}

interface Task {
  readonly question: WorkerQuestion;
  resolve(result: ScanResult): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | undefined;
  cancelIdle(): void;
}

/**
 * Scans parts on worker threads, so that the serving thread stays free. Threads start with the first work and end when
 * idle.
 */
export function createWorkerPool({
  clock,
  size = defaultSize(),
  idleMs = 60_000,
}: WorkerPoolOptions): WorkerPool {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  let isEnded = false;

  return {
    parallelism: size,
    get threads() {
      return threads.size;
    },
    scan: (scan, part) =>
      new Promise((resolve, reject) => {
        if (isEnded) reject(new Error('the threads of the query engine have ended'));
        else give({ question: { scan, part }, resolve, reject });
      }),
    async end() {
      isEnded = true;
      for (const task of waiting.splice(0))
        task.reject(new Error('the threads of the query engine have ended'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };

  function give(task: Task): void {
    const idle = [...threads].find((thread) => thread.task === undefined);
    const thread = idle ?? (threads.size < size ? startThread() : undefined);
    if (thread === undefined) waiting.push(task);
    else run(thread, task);
  }

  function run(thread: Thread, task: Task): void {
    thread.cancelIdle();
    thread.task = task;
    thread.worker.ref();
    try {
      thread.worker.postMessage(task.question, buffersOf(task.question.part));
    } catch (error) {
      task.reject(error as Error);
      rest(thread);
    }
  }

  function startThread(): Thread {
    const worker = new Worker(new URL(import.meta.resolve('./query-worker.ts')));
    const thread: Thread = { worker, task: undefined, cancelIdle: () => {} };
    threads.add(thread);
    worker.on('message', (answer: WorkerAnswer) => {
      const task = thread.task!;
      if ('problem' in answer) task.reject(new Error(answer.problem));
      else task.resolve(answer.result);
      rest(thread);
    });
    const onEnd = (why: string) => {
      threads.delete(thread);
      thread.cancelIdle();
      thread.task?.reject(new Error(`a thread of the query engine ended: ${why}`));
      thread.task = undefined;
      const next = isEnded ? undefined : waiting.shift();
      if (next !== undefined) give(next);
    };
    worker.on('error', (error) => onEnd(error.message));
    worker.on('exit', () => onEnd('it was stopped'));
    return thread;
  }

  /**
   * Gives the thread the next task. Without one, the thread no longer holds the process open and ends after a timeout.
   */
  function rest(thread: Thread): void {
    thread.task = undefined;
    const next = waiting.shift();
    if (next !== undefined) {
      run(thread, next);
      return;
    }
    thread.worker.unref();
    thread.cancelIdle = clock.after(idleMs, () => {
      threads.delete(thread);
      void thread.worker.terminate();
    });
  }
}

function defaultSize(): number {
  return Math.min(eventLimits.eventQueryThreadsMax, Math.max(1, availableParallelism() - 1));
}

/** Returns the buffers that a part owns. They are transferred; a slice of a larger buffer is copied. */
function buffersOf(part: ScanPart): ArrayBuffer[] {
  const views =
    part.kind === 'stripe'
      ? [...part.chunks.values()]
      : part.pages.flatMap(({ timesMs, valueStarts, valueEnds, bytes }) => [
          timesMs,
          valueStarts,
          valueEnds,
          bytes,
        ]);
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer, byteOffset, byteLength } of views) {
    const isOwn = byteOffset === 0 && byteLength === buffer.byteLength;
    if (isOwn && buffer instanceof ArrayBuffer) buffers.add(buffer);
  }
  return [...buffers];
}
