import type { Clock, Log } from '@weir/core';
import { deleteFromAll, deleteManyFromAll } from '../composite/deletions.ts';
import { mergedUploads } from '../composite/incomplete-uploads.ts';
import { mergedList } from '../composite/merged-list.ts';
import { infoOf, unlessMissing } from '../composite/missing-objects.ts';
import type { SubBucket } from '../composite/sub-bucket.ts';
import { linkedAbort } from '../store/abort.ts';
import { checkKey, checkKeys, checkRange } from '../store/key.ts';
import type { CallOptions, ObjectStore, ObjectUpload } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { rendezvous } from './rendezvous.ts';
import { WriteRefusals } from './write-refusals.ts';

interface StripeStoreOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Buckets that were taken out of the list: they are read and deleted from, and not written to. */
  readonly retired?: readonly SubBucket[];
}

/**
 * A store that keeps each object in one of several buckets, which follows from the key (ADR 0046).
 *
 * - A put goes to the next bucket while the breaker of its own is open, and when its own is missing, full or denies it.
 * - A read asks the bucket of the key, and all others if it is not there or does not answer. The object is missing only
 *   if all say so; an outage of a bucket makes its own objects unreadable, and no others.
 * - A deletion reaches all buckets, and is acknowledged by all: any may have the object.
 */
export function openStripeStore(buckets: readonly SubBucket[], options: StripeStoreOptions): ObjectStore {
  const { clock, log, retired = [] } = options;
  const all = [...buckets, ...retired];
  const stores = all.map(({ store }) => store);
  const rank = rendezvous(buckets.map(({ name }) => name));
  const ranked = (key: string) => rank(key).map((index) => buckets[index]!);
  const uploads = mergedUploads(stores);
  const refusals = new WriteRefusals(options);
  /** Retired buckets are asked last. */
  const placesOf = (key: string): readonly [SubBucket, ...SubBucket[]] => {
    const [target, ...others] = ranked(key);
    return [target!, ...others, ...retired];
  };

  /** The buckets that take writes now, by rank; all of them if none seems to. */
  function writable(key: string): readonly SubBucket[] {
    const candidates = ranked(key);
    const usable = candidates.filter((bucket) => !bucket.breaker.isRefusing() && !refusals.isLeftOut(bucket));
    return usable.length > 0 ? usable : candidates;
  }

  /**
   * Writes to the bucket of a key, or to the next one while its breaker is open, also if it opens meanwhile, and when
   * it refuses writes.
   */
  async function write<Result>(
    key: string,
    run: (bucket: SubBucket, signal: AbortSignal) => Promise<Result>,
    { signal }: CallOptions = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    const candidates = writable(key);
    let refusal: unknown;
    for (const [index, bucket] of candidates.entries()) {
      const { name, breaker } = bucket;
      const isLast = index === candidates.length - 1;
      const abort = linkedAbort(signal);
      const opened = new Error(`the circuit breaker of ${name} has opened`);
      const release = isLast ? () => {} : breaker.onOpen(() => abort.abort(opened));
      try {
        return await run(bucket, abort.signal);
      } catch (error) {
        signal?.throwIfAborted();
        const isRefused = refusals.failed(bucket, error);
        if (isRefused) refusal ??= error;
        // An operator has to see why a bucket refuses, also where the last one does not answer.
        if (isLast) throw refusal ?? error;
        if (!(isRefused || abort.signal.aborted || breaker.isRefusing())) throw error;
        log.debug('switched to another bucket of the stripe', { key, bucket: name });
      } finally {
        release();
        abort.release();
      }
    }
    throw new StoreError('unavailable', key, 'the stripe has no bucket');
  }

  /** `readOne` throws `ObjectNotFound`. */
  async function read<Result>(
    key: string,
    readOne: (store: ObjectStore, signal: AbortSignal) => Promise<Result>,
    { signal }: CallOptions,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const [target, ...others] = placesOf(key);
    const abort = linkedAbort(signal);
    try {
      // The error of a bucket that is out comes later than the answers of the others.
      const isOut = target.breaker.isRefusing();
      const first = isOut ? undefined : await outcomeOf(readOne(target.store, abort.signal));
      if (first?.result !== undefined) return first.result;
      signal?.throwIfAborted();
      if (first?.error instanceof StoreError && first.error.kind === 'invalid') throw first.error;
      const asked = isOut ? [target, ...others] : others;
      const answers = asked.map(({ store }) => outcomeOf(readOne(store, abort.signal)));
      const found = await firstResult(answers);
      if (found !== undefined) return found.result;
      signal?.throwIfAborted();
      const errors = [...(first === undefined ? [] : [first]), ...(await Promise.all(answers))].map(
        ({ error }) => error,
      );
      throw errors.find((error) => !(error instanceof ObjectNotFound)) ?? new ObjectNotFound(key);
    } finally {
      abort.abort(new Error('another bucket answered'));
      abort.release();
    }
  }

  /** An upload cannot change its bucket. The next one goes elsewhere if a part is refused. */
  async function beginUpload(bucket: SubBucket, key: string, call: CallOptions): Promise<ObjectUpload> {
    const upload = await bucket.store.beginUpload(key, call);
    const watched =
      <Args extends unknown[]>(run: (...args: Args) => Promise<void>) =>
      async (...args: Args) => {
        try {
          await run(...args);
        } catch (error) {
          refusals.failed(bucket, error);
          throw error;
        }
      };
    return {
      putPart: watched((...args) => upload.putPart(...args)),
      finish: watched((...args) => upload.finish(...args)),
      abort: (...args) => upload.abort(...args),
    };
  }

  const head = (key: string, call: CallOptions) =>
    unlessMissing(read(key, (store, signal) => infoOf(store, key, signal), call));

  return {
    async put(key, content, call) {
      checkKey(key);
      // Not as a new key: a bucket that was left may show a part of the object, and is asked first.
      await write(
        key,
        async (bucket, signal) => {
          await bucket.store.put(key, content, { signal });
          refusals.succeeded(bucket);
        },
        call,
      );
    },
    async putIfAbsent(key, content, call = {}) {
      checkKey(key);
      const [target] = placesOf(key);
      // It may be in another bucket, by an earlier list. Writers agree in one, so that there is no other if it is out.
      if ((await head(key, call)) !== undefined) return false;
      return await target.store.putIfAbsent(key, content, call);
    },
    async beginUpload(key, call) {
      checkKey(key);
      return await write(key, (bucket, signal) => beginUpload(bucket, key, { signal }), call);
    },
    async getRange(key, start, end, { signal, memory } = {}) {
      checkKey(key);
      checkRange(key, start, end);
      const readOne = (store: ObjectStore, signal: AbortSignal) =>
        store.getRange(key, start, end, { memory, signal });
      return await read(key, readOne, { signal });
    },
    async head(key, call = {}) {
      checkKey(key);
      return await head(key, call);
    },
    async delete(key, call) {
      checkKey(key);
      call?.signal?.throwIfAborted();
      await deleteFromAll(stores, key, call);
    },
    async deleteMany(keys, call) {
      checkKeys(keys);
      call?.signal?.throwIfAborted();
      return await deleteManyFromAll(stores, keys, call);
    },
    async *list(prefix, options = {}) {
      // Without one of the buckets its objects would seem to be gone.
      const merge = { clock, failuresMax: 0, patienceMs: 0 };
      for await (const { objects } of mergedList(stores, prefix, options, merge))
        yield objects.map(({ info }) => info);
    },
    ...(uploads === undefined ? {} : { incompleteUploads: uploads }),
    async close() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

type Outcome<Result> =
  | { readonly result: Result; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown };

async function outcomeOf<Result>(call: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await call };
  } catch (error) {
    return { error };
  }
}

/** The first that succeeds; `undefined` if none does. */
async function firstResult<Result>(
  outcomes: readonly Promise<Outcome<Result>>[],
): Promise<{ readonly result: Result } | undefined> {
  const found = Promise.withResolvers<{ readonly result: Result } | undefined>();
  for (const outcome of outcomes)
    void outcome.then((one) => {
      if (one.error === undefined) found.resolve({ result: one.result as Result });
    });
  void Promise.all(outcomes).then(() => found.resolve(undefined));
  return await found.promise;
}
