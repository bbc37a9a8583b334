import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type FlushWhen, type Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { BatchPolicy } from './batch-policy.ts';
import { failedOf } from './outcomes.ts';
import { WriteTurns, writeParts } from './write-parts.ts';

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
  readonly #turns = new WriteTurns();
  #waiting: Waiting[] = [];
  #count = 0;
  #cancelPeriod: (() => void) | undefined;
  #flushesLater = false;
  /** Batches that are complete and not written. */
  #writing = 0;

  constructor(output: Output, policy: BatchPolicy, context: Pick<ComponentContext, 'clock' | 'stop'>) {
    this.#output = output;
    this.#policy = policy;
    this.#context = context;
  }

  write(batch: Batch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ from: this.#count, count: batch.length, resolve, reject });
      this.#count += batch.length;
      if (this.#policy.add(batch)) this.#end();
      else this.#startPeriod();
    });
  }

  /** While a batch that is complete waits for the output, none is gathered. */
  ready(): Promise<void> | undefined {
    return this.#turns.idle();
  }

  async flush(when: FlushWhen = 'now'): Promise<void> {
    if (when === 'now' || this.#writing === 0) this.#end();
    // The output may be busy until it has written what it gathered itself, so that it writes that now, and again later.
    await this.#output.flush?.(when);
    const idle = this.#turns.idle();
    if (idle === undefined || this.#flushesLater) return;
    this.#flushesLater = true;
    await idle;
    this.#flushesLater = false;
    await this.#output.flush?.(when);
  }

  async close(): Promise<void> {
    this.#cancelPeriod?.();
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the output was closed'));
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
    this.#writing++;
    void this.#turns
      .take(() => this.#begin(batch))
      .finally(() => this.#writing--)
      .then(
        () => {
          for (const { resolve } of waiting) resolve();
        },
        (error: Error) => {
          const failed = failedOf(batch, error);
          for (const one of waiting) {
            const part = partOf(failed, one);
            if (part === undefined) one.resolve();
            else one.reject(part);
          }
        },
      );
  }

  async #begin(batch: Batch): Promise<{ written: Promise<void> }> {
    const { stop } = this.#context;
    const { chain } = this.#policy;
    if (!chain.isEmpty) return writeParts(this.#output, chain, batch, stop);
    await this.#output.ready?.();
    return { written: this.#output.write(batch, stop) };
  }
}

/** What of an error concerns the messages of one call; nothing fails for a call whose messages were written. */
function partOf(all: ReadonlyMap<number, Error>, { from, count }: Waiting): Error | undefined {
  const failed = new Map<number, Error>();
  for (let index = 0; index < count; index++) {
    const reason = all.get(from + index);
    if (reason !== undefined) failed.set(index, reason);
  }
  const [first] = failed.values();
  return failed.size === count && count === 1
    ? first
    : failed.size === 0
      ? undefined
      : new BatchFailure(failed);
}
