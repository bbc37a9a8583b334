import type { Clock, Log, MetricRow, Metrics, Series } from '@weir/core';
import { infoOf } from '../composite/missing-objects.ts';
import { storageLimits } from '../limits.ts';
import { linkedAbort, pause } from '../store/abort.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import type { AnyReads } from './any-read.ts';
import type { Replica } from './replica.ts';
import { wholeRange } from './whole-range.ts';

export const behindRow = {
  name: 'blob_store_objects_behind',
  kind: 'gauge',
  help: 'Objects that a bucket of service_multi:// missed and that this process still has to copy there',
  labels: ['name'],
} as const satisfies MetricRow;

export const repairedRow = {
  name: 'blob_store_objects_repaired',
  kind: 'counter',
  help: 'Objects that a bucket of service_multi:// missed: copied, gone before that, removed again because they were deleted meanwhile, or left to the dead-file scan',
  labels: ['name', 'outcome'],
} as const satisfies MetricRow;

/** Pauses while a bucket does not answer. */
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;

/**
 * When a copy is checked again. Longer than a call that deletes an object may take: one that reached this bucket before
 * the copy has reached the others by then.
 */
const checkedAfterMs = 90_000;

/** How often it looks for work while copies wait for their check. */
const lookMs = 1_000;

interface CatchUpOptions {
  readonly replica: Replica;
  /** The other buckets. */
  readonly others: readonly Replica[];
  readonly reads: AnyReads;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Copied {
  readonly key: string;
  readonly dueMs: number;
}

/**
 * Copies objects that one bucket missed, when it is back: one at a time, at a limited rate. What this process forgets,
 * because it ends or misses too many, the dead-file scan finds.
 *
 * A deletion of another process may fall between reading an object and storing the copy. So each copy is checked once
 * more, later, and removed if the object is in no other bucket then.
 */
export class CatchUp {
  readonly #options: CatchUpOptions;
  readonly #behind: Series;
  readonly #outcomes: Readonly<Record<'copied' | 'gone' | 'removed' | 'left', Series>>;
  readonly #unchecked: Copied[] = [];
  readonly #stop = linkedAbort(undefined);
  #running: Promise<void> | undefined;
  #current:
    | { readonly key: string; readonly abort: () => void; readonly ended: Promise<unknown> }
    | undefined;

  constructor(options: CatchUpOptions) {
    this.#options = options;
    const { metrics, replica } = options;
    const { name } = replica;
    this.#behind = metrics.series(behindRow, { name });
    const outcome = (outcome: string) => metrics.series(repairedRow, { name, outcome });
    this.#outcomes = {
      copied: outcome('copied'),
      gone: outcome('gone'),
      removed: outcome('removed'),
      left: outcome('left'),
    };
    this.#behind.set(0);
  }

  /** The bucket should have this object and has not. */
  missed(key: string): void {
    const { missed } = this.#options.replica;
    if (missed.size >= storageLimits.multiMissedObjectsMax) {
      this.#outcomes.left.add(1);
      return;
    }
    missed.add(key);
    this.#behind.set(missed.size);
    this.#run();
  }

  /** Forgets an object that is deleted, and ends its copy. */
  async forget(key: string): Promise<void> {
    const { missed } = this.#options.replica;
    if (missed.delete(key)) this.#behind.set(missed.size);
    if (this.#current?.key !== key) return;
    this.#current.abort();
    await this.#current.ended;
  }

  /** Copies an object now. Returns whether there was one. */
  async copy(key: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { clock } = this.#options;
    let bytes: number;
    try {
      bytes = await this.#copy(key, signal);
    } catch (error) {
      if (!(error instanceof ObjectNotFound)) throw error;
      this.#outcomes.gone.add(1);
      return false;
    }
    this.#outcomes.copied.add(1);
    if (this.#unchecked.length < storageLimits.multiMissedObjectsMax)
      this.#unchecked.push({ key, dueMs: clock.monotonicMs() + checkedAfterMs });
    this.#run();
    const tookMs = (bytes / storageLimits.multiRepairBytesPerSecondMax) * 1_000;
    await pause(clock, tookMs, signal);
    return true;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the store was closed'));
    await this.#running;
  }

  #run(): void {
    if (this.#stop.signal.aborted) return;
    this.#running ??= this.#work()
      .catch(() => {})
      .finally(() => {
        this.#running = undefined;
        if (this.#options.replica.missed.size > 0) this.#run();
      });
  }

  /** Until nothing is missed, and every copy is checked. */
  async #work(): Promise<void> {
    const { replica, clock, log } = this.#options;
    const { signal } = this.#stop;
    let pauseMs = pauseMsMin;
    let isReported = false;
    for (;;) {
      signal.throwIfAborted();
      const isDue = this.#unchecked.length > 0 && this.#unchecked[0]!.dueMs <= clock.monotonicMs();
      const [key] = replica.missed;
      try {
        if (isDue) await this.#check(this.#unchecked.shift()!);
        else if (key !== undefined) await this.#copyMissed(key);
        else if (this.#unchecked.length > 0) await pause(clock, lookMs, signal);
        else break;
        pauseMs = pauseMsMin;
      } catch (error) {
        signal.throwIfAborted();
        if (!isReported)
          log.warn('failed to copy object to bucket that missed it, retrying', {
            bucket: replica.name,
            error: (error as Error).message,
          });
        isReported = true;
        await pause(clock, pauseMs, signal);
        pauseMs = Math.min(2 * pauseMs, pauseMsMax);
      }
    }
    if (isReported) log.info('stopped repair of bucket: it has all objects again', { bucket: replica.name });
  }

  async #copyMissed(key: string): Promise<void> {
    const { replica } = this.#options;
    const abort = linkedAbort(this.#stop.signal);
    const copying = this.copy(key, abort.signal);
    const deleted = new Error('the object is deleted');
    this.#current = { key, abort: () => abort.abort(deleted), ended: copying.catch(() => {}) };
    try {
      await copying;
      replica.missed.delete(key);
      this.#behind.set(replica.missed.size);
    } catch (error) {
      if (abort.signal.reason !== deleted) throw error;
    } finally {
      this.#current = undefined;
      abort.release();
    }
  }

  /** Copies in parts what is large, so that a copy takes little memory. Returns the size of the object. */
  async #copy(key: string, signal: AbortSignal | undefined): Promise<number> {
    const { replica, others, reads } = this.#options;
    const read = (start: number, end: number) =>
      reads.read(key, ({ store }, signal) => wholeRange(store, key, start, end, signal), {
        from: others,
        signal,
      });
    const info = await reads.read(key, ({ store }, signal) => infoOf(store, key, signal), {
      from: others,
      signal,
    });
    const { uploadPartBytes } = storageLimits;
    if (info.bytes <= uploadPartBytes) {
      await replica.store.put(key, [await read(0, info.bytes)], { signal });
      return info.bytes;
    }
    const upload = await replica.store.beginUpload(key, { signal });
    try {
      const partCount = Math.ceil(info.bytes / uploadPartBytes);
      for (let part = 0; part < partCount; part++) {
        const start = part * uploadPartBytes;
        await upload.putPart(part, [await read(start, Math.min(info.bytes, start + uploadPartBytes))], {
          signal,
        });
      }
      await upload.finish(partCount, { signal });
    } catch (error) {
      await upload.abort().catch(() => {});
      throw error;
    }
    return info.bytes;
  }

  /** Removes a copy of an object that no other bucket has any more: it was deleted while it was copied. */
  async #check({ key }: Copied): Promise<void> {
    const { replica, others, clock } = this.#options;
    const { signal } = this.#stop;
    try {
      const found = await Promise.all(others.map(({ store }) => store.head(key, { signal })));
      if (found.some((info) => info !== undefined)) return;
      await replica.store.delete(key, { signal });
      this.#outcomes.removed.add(1);
    } catch {
      // A bucket does not answer. Copies need not wait for it.
      this.#unchecked.push({ key, dueMs: clock.monotonicMs() + checkedAfterMs });
    }
  }
}
