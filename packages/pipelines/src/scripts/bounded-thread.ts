import { Worker } from 'node:worker_threads';
import type { Clock } from '@weir/core';
import { pipelineLimits } from '../limits.ts';

/** What a thread answers; the number is that of the request. */
export interface ThreadAnswer {
  readonly id: number;
  readonly problem?: string;
  /** The thread ran out of something, and cannot be used any more. */
  readonly isBroken?: boolean;
}

interface ThreadOptions {
  /** The file that it runs. */
  readonly file: URL;
  readonly data?: unknown;
  readonly clock: Clock;
  /** What it works on, for messages: `the query`. */
  readonly work: string;
}

/** A thread for work that may never end or take too much memory: then it is ended, and the next request has another. */
export class BoundedThread<Answer extends ThreadAnswer> {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;
  #lastId = 0;
  #answered: (answer: Answer) => void = () => undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Throws what went wrong. One request at a time. */
  async ask(request: object, stop?: AbortSignal): Promise<Answer> {
    const { clock, work } = this.#options;
    this.#worker ??= this.#started();
    const worker = this.#worker;
    const id = ++this.#lastId;
    const answer = await new Promise<Answer | undefined>((resolve) => {
      const end = () => resolve(undefined);
      const cancel = clock.after(pipelineLimits.scriptMsMax, end);
      stop?.addEventListener('abort', end, { once: true });
      this.#answered = (answered) => {
        cancel();
        stop?.removeEventListener('abort', end);
        resolve(answered);
      };
      if (stop?.aborted) end();
      else worker.postMessage({ ...request, id });
    });
    if (answer === undefined || answer.isBroken) await this.close();
    if (stop?.aborted) throw new Error('the pipeline is stopping');
    if (answer === undefined) throw new Error(`${work} took more than ${pipelineLimits.scriptMsMax} ms`);
    if (answer.isBroken) throw new Error(`${work} took too much memory, or calls itself too deeply`);
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #started(): Worker {
    const worker = new Worker(this.#options.file, {
      workerData: this.#options.data,
      resourceLimits: { maxOldGenerationSizeMb: pipelineLimits.scriptHeapMiBMax },
    });
    const answered = (answer: ThreadAnswer) => {
      if (this.#worker === worker) this.#answered(answer as Answer);
    };
    const broken = (problem: string) => answered({ id: this.#lastId, problem, isBroken: true });
    worker.on('message', (answer: Answer) => {
      if (answer.id === this.#lastId) answered(answer);
    });
    worker.on('error', ({ message }) => broken(message));
    worker.on('exit', () => broken('the thread ended'));
    return worker;
  }
}
