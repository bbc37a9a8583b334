import type { Clock, Log, Metrics, Random } from '@weir/core';
import { deleteFromAll, deleteManyFromAll } from '../composite/deletions.ts';
import { mergedUploads } from '../composite/incomplete-uploads.ts';
import { mergedList } from '../composite/merged-list.ts';
import { infoOf, unlessMissing } from '../composite/missing-objects.ts';
import type { SubBucket } from '../composite/sub-bucket.ts';
import { linkedAbort } from '../store/abort.ts';
import { checkKey, checkKeys, checkRange } from '../store/key.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { AnyReads } from './any-read.ts';
import { CatchUp } from './catch-up.ts';
import { Claim, votesPrefix } from './claim.ts';
import { readQuorum } from './quorum.ts';
import { QuorumPuts } from './quorum-put.ts';
import { QuorumUpload } from './quorum-upload.ts';
import { Replica } from './replica.ts';

interface MultiStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How long a list waits for the last buckets when enough have answered. */
const listPatienceMs = 2_000;

/**
 * A store that keeps every object in several buckets (ADR 0046).
 *
 * - A put is acknowledged when a majority has it; the others get it in the background.
 * - A read asks the fastest bucket, and the others if it fails, is slow or has not got the object.
 * - A deletion is acknowledged when all buckets have done it, so that no bucket can bring back what was deleted.
 * - A list is that of enough buckets to have every acknowledged object, and of all that answer.
 */
export function openMultiStore(buckets: readonly SubBucket[], options: MultiStoreOptions): ObjectStore {
  const { clock, random, log, metrics } = options;
  const replicas = buckets.map((bucket, index) => new Replica(index, bucket));
  const stores = replicas.map(({ store }) => store);
  const { length: bucketCount } = replicas;
  const reads = new AnyReads({ replicas, clock });
  const catchUps = replicas.map((replica) => {
    const others = replicas.filter((other) => other !== replica);
    return new CatchUp({ replica, others, reads, clock, log, metrics });
  });
  const onMissed = (replica: Replica, key: string) => catchUps[replica.index]!.missed(key);
  const puts = new QuorumPuts({ replicas, clock, onMissed });
  const uploads = mergedUploads(stores);

  /** Before a deletion: nothing of this process may store the object afterwards. */
  async function forget(keys: readonly string[]): Promise<void> {
    await puts.endBackground(keys);
    for (const key of keys) await Promise.all(catchUps.map((catchUp) => catchUp.forget(key)));
  }

  return {
    async put(key, content, { signal } = {}) {
      checkKey(key);
      // Not as a new key: a bucket may be left with a part of the object, and a reader may ask it first.
      await puts.put(key, content, signal, async (replica, slices, signal) => {
        await replica.store.put(key, slices, { signal });
        replica.missed.delete(key);
      });
    },
    async putIfAbsent(key, content, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const abort = linkedAbort(signal);
      try {
        return await new Claim(
          { replicas, reads, clock, random, onMissed },
          key,
          content,
          abort.signal,
        ).run();
      } finally {
        abort.release();
      }
    },
    async beginUpload(key, call) {
      checkKey(key);
      return await QuorumUpload.begin(replicas, { key, bucketCount, clock, onMissed }, call);
    },
    async getRange(key, start, end, { signal, memory } = {}) {
      checkKey(key);
      checkRange(key, start, end);
      const read = ({ store }: Replica, signal: AbortSignal) =>
        store.getRange(key, start, end, { memory, signal });
      return await reads.read(key, read, { signal });
    },
    async head(key, { signal } = {}) {
      checkKey(key);
      return await unlessMissing(
        reads.read(key, ({ store }, signal) => infoOf(store, key, signal), { signal }),
      );
    },
    async delete(key, call) {
      checkKey(key);
      call?.signal?.throwIfAborted();
      await forget([key]);
      await deleteFromAll(stores, key, call);
    },
    async deleteMany(keys, call) {
      checkKeys(keys);
      call?.signal?.throwIfAborted();
      await forget(keys);
      return await deleteManyFromAll(stores, keys, call);
    },
    async *list(prefix, options = {}) {
      const failuresMax = bucketCount - readQuorum(bucketCount);
      const merge = { clock, failuresMax, patienceMs: listPatienceMs };
      for await (const { objects, answering } of mergedList(stores, prefix, options, merge)) {
        const page = objects
          .filter(({ info }) => !info.key.startsWith(votesPrefix))
          .map(({ info, holders }) => {
            const missingIn = answering.filter((index) => !holders.includes(index));
            return missingIn.length === 0 ? info : { ...info, missingIn };
          });
        if (page.length > 0) yield page;
      }
    },
    replicas: {
      async repair({ key, missingIn = [] }, { signal } = {}) {
        let isThere = false;
        for (const index of missingIn) if (await catchUps[index]?.copy(key, signal)) isThere = true;
        return isThere;
      },
    },
    ...(uploads === undefined ? {} : { incompleteUploads: uploads }),
    async close() {
      await Promise.all([puts.close(), ...catchUps.map((catchUp) => catchUp.close())]);
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}
