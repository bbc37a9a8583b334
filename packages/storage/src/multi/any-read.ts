import type { Clock } from '@weir/core';
import { type LinkedAbort, linkedAbort, onAbort } from '../store/abort.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { readQuorum } from './quorum.ts';
import { quorumError } from './quorum-put.ts';
import type { Replica } from './replica.ts';

/** The next bucket is asked when the one before takes longer than this multiple of its mean, within bounds. */
const slowFactor = 4;
const slowMsMin = 25;
const slowMsMax = 1_000;
const unknownSlowMs = 250;

/** How long a read waits for the last buckets when enough say that the object is not there. */
const absencePatienceMs = 1_000;

/** Every so many reads begin at the second bucket, so that a bucket that became faster is noticed. */
const readsPerTrial = 128;

interface AnyReadsOptions {
  readonly replicas: readonly Replica[];
  readonly clock: Clock;
}

type ReadOne<Result> = (replica: Replica, signal: AbortSignal) => Promise<Result>;

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Buckets that are asked; all if absent. */
  readonly from?: readonly Replica[];
}

/**
 * Reads an object from the bucket that answers fastest. The next one is asked when that fails or is slow, and all
 * others when it does not have the object: it may have missed it.
 */
export class AnyReads {
  readonly #options: AnyReadsOptions;
  #reads = 0;

  constructor(options: AnyReadsOptions) {
    this.#options = options;
  }

  /** `read` throws `ObjectNotFound`, and so does this if too many buckets say so to overlook an acknowledged put. */
  async read<Result>(key: string, read: ReadOne<Result>, options: ReadOptions = {}): Promise<Result> {
    const { signal, from = this.#options.replicas } = options;
    signal?.throwIfAborted();
    const order = [...from].sort(
      (a, b) =>
        Number(a.missed.has(key)) - Number(b.missed.has(key)) ||
        Number(a.isOut) - Number(b.isOut) ||
        a.reads.meanMs - b.reads.meanMs ||
        a.index - b.index,
    );
    const [first, second] = order;
    const isTrial = ++this.#reads % readsPerTrial === 0 && second !== undefined && !second.isOut;
    if (isTrial && !second.missed.has(key)) order.splice(0, 2, second, first!);
    const absentMin = readQuorum(this.#options.replicas.length);
    return await new AnyRead(this.#options.clock, key, order, absentMin, read, signal).result.promise;
  }
}

class AnyRead<Result> {
  readonly result = Promise.withResolvers<Result>();
  readonly #clock: Clock;
  readonly #key: string;
  readonly #waiting: Replica[];
  readonly #bucketCount: number;
  readonly #absentMin: number;
  readonly #read: ReadOne<Result>;
  readonly #running = new Map<Replica, { readonly abort: LinkedAbort; readonly startMs: number }>();
  readonly #errors: unknown[] = [];
  readonly #releaseSignal: () => void;
  #cancelTimer = () => {};
  #absent = 0;
  #isOver = false;

  constructor(
    clock: Clock,
    key: string,
    order: readonly Replica[],
    absentMin: number,
    read: ReadOne<Result>,
    signal: AbortSignal | undefined,
  ) {
    this.#clock = clock;
    this.#key = key;
    this.#waiting = [...order];
    this.#bucketCount = order.length;
    this.#absentMin = absentMin;
    this.#read = read;
    this.#releaseSignal = onAbort(signal, (reason) => this.#end(() => this.result.reject(reason)));
    this.#askNext();
  }

  #askNext(): void {
    this.#cancelTimer();
    const replica = this.#waiting.shift();
    if (replica === undefined) return;
    this.#ask(replica);
    if (this.#waiting.length === 0) return;
    const { isKnown, meanMs } = replica.reads;
    const slowMs = isKnown ? Math.min(slowMsMax, Math.max(slowMsMin, slowFactor * meanMs)) : unknownSlowMs;
    this.#cancelTimer = this.#clock.after(slowMs, () => this.#askNext());
  }

  #ask(replica: Replica): void {
    const abort = linkedAbort(undefined);
    const startMs = this.#clock.monotonicMs();
    this.#running.set(replica, { abort, startMs });
    this.#read(replica, abort.signal).then(
      (result) => {
        this.#answered(replica, startMs);
        this.#end(() => this.result.resolve(result));
      },
      (error: unknown) => {
        if (this.#isOver) return;
        const isAbsent = error instanceof ObjectNotFound;
        if (isAbsent) this.#answered(replica, startMs);
        else replica.reads.addFailure();
        this.#running.delete(replica);
        this.#failed(error, isAbsent);
      },
    );
  }

  #answered(replica: Replica, startMs: number): void {
    if (this.#isOver) return;
    replica.reads.add(this.#clock.monotonicMs() - startMs);
    this.#running.delete(replica);
  }

  #failed(error: unknown, isAbsent: boolean): void {
    if (error instanceof StoreError && error.kind === 'invalid') {
      this.#end(() => this.result.reject(error));
      return;
    }
    if (isAbsent) this.#absent++;
    else this.#errors.push(error);
    if (isAbsent) {
      this.#cancelTimer();
      for (const replica of this.#waiting.splice(0)) this.#ask(replica);
    } else this.#askNext();
    if (this.#running.size === 0 && this.#waiting.length === 0) this.#conclude();
    else if (this.#absent >= this.#absentMin) {
      this.#cancelTimer();
      this.#cancelTimer = this.#clock.after(absencePatienceMs, () => this.#conclude());
    }
  }

  #conclude(): void {
    const isAbsent = this.#absent >= Math.min(this.#absentMin, this.#bucketCount);
    this.#end(() => {
      if (isAbsent) this.result.reject(new ObjectNotFound(this.#key));
      else {
        const { length: failedCount } = this.#errors;
        const quorum = this.#bucketCount - failedCount + 1;
        const failed = { key: this.#key, errors: this.#errors, bucketCount: this.#bucketCount, quorum };
        this.result.reject(quorumError(failed));
      }
    });
  }

  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#releaseSignal?.();
    for (const [replica, { abort, startMs }] of this.#running) {
      replica.reads.addAtLeast(this.#clock.monotonicMs() - startMs);
      abort.abort(new Error('another bucket answered first'));
    }
    settle();
  }
}
