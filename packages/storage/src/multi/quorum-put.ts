import type { Clock } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { type LinkedAbort, linkedAbort, onAbort } from '../store/abort.ts';
import { contentBytes } from '../store/content.ts';
import { isRetriableError, StoreError } from '../store/store-error.ts';
import { writeQuorum } from './quorum.ts';
import type { Replica } from './replica.ts';

/** How long a bucket that holds slices of the caller may take after the quorum: as long again, within these bounds. */
const graceMsMin = 20;
const graceMsMax = 1_000;

/** A bucket that was held back gets the object after this time without a quorum. */
const heldBackMs = 1_000;

/** Sends an object, whole or a part of it, to one bucket. */
export type Send = (replica: Replica, content: readonly Uint8Array[], signal: AbortSignal) => Promise<void>;

interface QuorumPutsOptions {
  readonly replicas: readonly Replica[];
  readonly clock: Clock;
  /** Called for each bucket that does not have an object which was acknowledged. */
  readonly onMissed: (replica: Replica, key: string) => void;
}

/**
 * Puts objects into several buckets, and acknowledges each when a quorum has it.
 *
 * The slices of a put belong to the caller again when its promise settles. So the buckets that usually make the quorum
 * send the caller's slices, and the others a copy, with which they may go on afterwards; all copies together are
 * limited. Beyond the limit a slow bucket is held back: it gets the object only if another one fails, and else misses
 * it.
 */
export class QuorumPuts {
  readonly #options: QuorumPutsOptions;
  readonly #background = new Map<string, Set<BackgroundPut>>();
  #backgroundBytes = 0;
  #backgroundCount = 0;

  constructor(options: QuorumPutsOptions) {
    this.#options = options;
  }

  /** Puts that go on after their promise was resolved. */
  get backgroundCount(): number {
    return this.#backgroundCount;
  }

  async put(
    key: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    send: Send,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { replicas } = this.#options;
    const order = [...replicas].sort(
      (a, b) => Number(a.isOut) - Number(b.isOut) || a.puts.meanMs - b.puts.meanMs || a.index - b.index,
    );
    const quorum = writeQuorum(replicas.length);
    const call = new QuorumPut(this.#options, key, content, signal, send);
    for (const replica of order.slice(0, quorum)) call.start(replica);
    let copy: readonly Uint8Array[] | undefined;
    for (const replica of order.slice(quorum)) {
      const taken = replica.isOut ? undefined : this.#takeBackground(key, contentBytes(content));
      if (taken === undefined) {
        call.holdBack(replica);
        continue;
      }
      copy ??= [Buffer.concat(content)];
      call.start(replica, { ...taken, copy });
    }
    await call.acknowledged;
  }

  /** Ends what is still sent to buckets under this key, before it is deleted. */
  async endBackground(keys: Iterable<string>): Promise<void> {
    const ending: Promise<void>[] = [];
    for (const key of keys) {
      for (const put of this.#background.get(key) ?? []) {
        put.abort.abort(new Error('the object is deleted'));
        ending.push(put.settled.promise);
      }
    }
    await Promise.all(ending);
  }

  async close(): Promise<void> {
    await this.endBackground([...this.#background.keys()]);
  }

  #takeBackground(key: string, bytes: number): BackgroundPut | undefined {
    const { multiBackgroundBytesMax, multiBackgroundPutsMax } = storageLimits;
    if (this.#backgroundBytes + bytes > multiBackgroundBytesMax) return undefined;
    if (this.#backgroundCount >= multiBackgroundPutsMax) return undefined;
    this.#backgroundBytes += bytes;
    this.#backgroundCount++;
    const settled = Promise.withResolvers<void>();
    const put: BackgroundPut = { abort: linkedAbort(undefined), settled };
    const ofKey = this.#background.get(key) ?? new Set();
    this.#background.set(key, ofKey.add(put));
    void settled.promise.then(() => {
      this.#backgroundBytes -= bytes;
      this.#backgroundCount--;
      ofKey.delete(put);
      if (ofKey.size === 0) this.#background.delete(key);
    });
    return put;
  }
}

interface BackgroundPut {
  readonly abort: LinkedAbort;
  /** Resolved when the copy is not used any more. */
  readonly settled: PromiseWithResolvers<void>;
}

/** One put. */
class QuorumPut {
  readonly acknowledged: Promise<void>;
  readonly #options: QuorumPutsOptions;
  readonly #key: string;
  readonly #content: readonly Uint8Array[];
  readonly #signal: AbortSignal | undefined;
  readonly #send: Send;
  readonly #startMs: number;
  readonly #quorum: number;
  readonly #result = Promise.withResolvers<void>();
  readonly #heldBack: Replica[] = [];
  /** Aborts of calls that use the slices of the caller. */
  readonly #borrowed = new Map<Replica, LinkedAbort>();
  readonly #copied = new Set<LinkedAbort>();
  readonly #failed: Replica[] = [];
  readonly #errors: unknown[] = [];
  readonly #releaseSignal: () => void;
  #cancelTimer: () => void;
  #stored = 0;
  #isDecided = false;
  #isOver = false;

  constructor(
    options: QuorumPutsOptions,
    key: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    send: Send,
  ) {
    this.#options = options;
    this.#key = key;
    this.#content = content;
    this.#signal = signal;
    this.#send = send;
    const { clock, replicas } = options;
    this.#startMs = clock.monotonicMs();
    this.#quorum = writeQuorum(replicas.length);
    this.acknowledged = this.#result.promise;
    this.#cancelTimer = clock.after(heldBackMs, () => this.#startHeldBack());
    this.#releaseSignal = onAbort(signal, (reason) => this.#abortAll(reason));
  }

  start(replica: Replica, background?: BackgroundPut & { readonly copy: readonly Uint8Array[] }): void {
    const { clock } = this.#options;
    const abort = background?.abort ?? linkedAbort(undefined);
    if (background === undefined) this.#borrowed.set(replica, abort);
    else this.#copied.add(abort);
    const startMs = clock.monotonicMs();
    this.#send(replica, background?.copy ?? this.#content, abort.signal)
      .then(
        () => {
          replica.puts.add(clock.monotonicMs() - startMs);
          this.#stored++;
        },
        (error: unknown) => {
          if (!abort.signal.aborted) replica.puts.addFailure();
          this.#failed.push(replica);
          this.#errors.push(error);
        },
      )
      .then(() => {
        background?.settled.resolve();
        this.#borrowed.delete(replica);
        this.#copied.delete(abort);
        this.#settled(replica);
      });
  }

  holdBack(replica: Replica): void {
    this.#heldBack.push(replica);
  }

  #startHeldBack(): void {
    if (this.#isDecided) return;
    for (const replica of this.#heldBack.splice(0)) this.start(replica);
  }

  #settled(replica: Replica): void {
    const { replicas, onMissed } = this.#options;
    if (this.#isOver) {
      // Acknowledged before, and this bucket has failed since.
      if (this.#stored >= this.#quorum && this.#failed.includes(replica)) onMissed(replica, this.#key);
      return;
    }
    if (!this.#isDecided) {
      if (this.#stored >= this.#quorum) this.#decide();
      else if (this.#failed.length > 0) {
        // A request that no bucket would take is no outage.
        const isHopeless = this.#failed.length > replicas.length - this.#quorum || !isOutage(this.#errors[0]);
        if (isHopeless) this.#abortAll(this.#errors[0]);
        else this.#startHeldBack();
      }
    }
    if (this.#isDecided && this.#borrowed.size === 0) this.#end();
  }

  /** A quorum has it: the rest gets a while, as far as it uses the slices of the caller. */
  #decide(): void {
    const { clock } = this.#options;
    this.#isDecided = true;
    this.#cancelTimer();
    const tookMs = clock.monotonicMs() - this.#startMs;
    const graceMs = Math.min(graceMsMax, Math.max(graceMsMin, tookMs));
    const isHopeless = [...this.#borrowed.keys()].every(({ isOut, puts }) => isOut || puts.isFailing);
    const giveUp = () => {
      for (const [replica, abort] of this.#borrowed) {
        replica.puts.addAtLeast(clock.monotonicMs() - this.#startMs);
        abort.abort(new Error('the other buckets have stored the object'));
      }
    };
    if (isHopeless) giveUp();
    else this.#cancelTimer = clock.after(graceMs, giveUp);
  }

  #abortAll(reason: unknown): void {
    this.#isDecided = true;
    this.#cancelTimer();
    for (const abort of [...this.#borrowed.values(), ...this.#copied]) abort.abort(reason);
    if (this.#borrowed.size === 0) this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#releaseSignal();
    if (this.#stored >= this.#quorum) {
      for (const replica of [...this.#failed, ...this.#heldBack]) this.#options.onMissed(replica, this.#key);
      this.#result.resolve();
    } else if (this.#signal?.aborted === true) this.#result.reject(this.#signal.reason);
    else {
      const { length: bucketCount } = this.#options.replicas;
      const failed = { key: this.#key, errors: this.#errors, bucketCount, quorum: this.#quorum };
      this.#result.reject(quorumError(failed));
    }
  }
}

/** Whether other buckets may do better. */
function isOutage(error: unknown): boolean {
  return !(error instanceof StoreError) || error.kind !== 'invalid';
}

interface FailedQuorum {
  readonly key: string;
  readonly errors: readonly unknown[];
  readonly bucketCount: number;
  readonly quorum: number;
}

/** The error of a call that too many buckets failed. A retry helps if it helps enough of them. */
export function quorumError({ key, errors, bucketCount, quorum }: FailedQuorum): unknown {
  const invalid = errors.find((error) => !isOutage(error));
  if (invalid !== undefined) return invalid;
  const final = errors.filter((error) => !isRetriableError(error));
  const passing = errors.find(isRetriableError);
  if (passing === undefined || final.length > bucketCount - quorum) return final[0];
  const problem = `fewer than ${quorum} of ${bucketCount} buckets answered: ${passing.message}`;
  return new StoreError(passing.kind, key, problem, { cause: passing });
}
