import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { BatchPolicy } from './batch-policy.ts';

interface Waiting {
  /** Where its messages are in the gathered batch. */
  readonly from: number;
  readonly count: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Gathers batches into larger ones before they are written. */
export class GatheringOutput implements Output {
  readonly #output: Output;
  readonly #policy: BatchPolicy;
  readonly #context: Pick<ComponentContext, 'clock' | 'stop'>;
  #waiting: Waiting[] = [];
  #count = 0;
  #cancelPeriod: (() => void) | undefined;
  /** The last write that began; the next waits until the output can take it. */
  #writing: Promise<void> = Promise.resolve();
  #isBlocked = false;

  constructor(output: Output, policy: BatchPolicy, context: Pick<ComponentContext, 'clock' | 'stop'>) {
    this.#output = output;
    this.#policy = policy;
    this.#context = context;
  }

  write(batch: Batch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ from: this.#count, count: batch.length, resolve, reject });
      this.#count += batch.length;
      let isComplete: boolean;
      try {
        isComplete = this.#policy.add(batch);
      } catch {
        // A check that fails ends no batch; others do.
        isComplete = false;
      }
      if (isComplete) this.#end();
      else this.#startPeriod();
    });
  }

  ready(): Promise<void> | undefined {
    return this.#isBlocked ? this.#writing : undefined;
  }

  async flush(): Promise<void> {
    if (!this.#policy.isEmpty) this.#end();
    await this.#writing;
    await this.#output.flush?.();
  }

  async close(): Promise<void> {
    this.#cancelPeriod?.();
    await this.#output.close();
    await this.#policy.chain.close();
  }

  #startPeriod(): void {
    if (this.#cancelPeriod !== undefined) return;
    const periodMs = this.#policy.periodMs();
    if (periodMs !== undefined) this.#cancelPeriod = this.#context.clock.after(periodMs, () => this.#end());
  }

  #end(): void {
    this.#cancelPeriod?.();
    this.#cancelPeriod = undefined;
    if (this.#policy.isEmpty) return;
    const batch = this.#policy.take();
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    this.#isBlocked = true;
    this.#writing = this.#writing.then(() => this.#begin(batch, waiting));
  }

  /** Resolves when the output has taken the batch, which is before it is written. */
  async #begin(batch: Batch, waiting: readonly Waiting[]): Promise<void> {
    await this.#output.ready?.();
    this.#isBlocked = false;
    void this.#written(batch).then(
      () => {
        for (const { resolve } of waiting) resolve();
      },
      (error: Error) => {
        for (const one of waiting) {
          const part = partOf(error, one);
          if (part === undefined) one.resolve();
          else one.reject(part);
        }
      },
    );
  }

  async #written(batch: Batch): Promise<void> {
    const { stop } = this.#context;
    const { chain } = this.#policy;
    if (chain.isEmpty) return this.#output.write(batch, stop);
    const batches = await chain.process(batch, stop);
    await Promise.all(batches.map((processed) => this.#output.write(processed, stop))).catch(
      (error: Error) => {
        throw new Error(error.message, { cause: error });
      },
    );
  }
}

/** What of an error concerns the messages of one call; nothing fails for a call whose messages were written. */
function partOf(error: Error, { from, count }: Waiting): Error | undefined {
  if (!(error instanceof BatchFailure)) return error;
  const failed = new Map<number, Error>();
  for (const [index, reason] of error.failed)
    if (index >= from && index < from + count) failed.set(index - from, reason);
  return failed.size === 0 ? undefined : new BatchFailure(failed);
}
