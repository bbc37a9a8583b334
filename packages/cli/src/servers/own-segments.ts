import { type Clock, Failure, type Log } from '@weir/core';
import { SegmentedJournals } from '@weir/journal';
import { type ObjectStore, SegmentDamaged, SegmentLog, StoreError } from '@weir/storage';

/** How often segments of which little is needed are looked for. */
const tidyMs = 10_000;

/** The log in segments of a process that has its bucket on disk and its database for itself (ADR 0103). */
interface OwnSegments {
  readonly log: SegmentLog;
  readonly journals: SegmentedJournals;
  /** From here on commits go into segments. The bucket must exist. */
  begin(store: ObjectStore): Promise<void>;
  close(): Promise<void>;
}

export async function openOwnSegments(
  bucketPath: string,
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<OwnSegments> {
  const { clock, log } = deps;
  const segments = await SegmentLog.open(bucketPath, deps).catch((error: unknown) => {
    if (error instanceof SegmentDamaged || error instanceof StoreError) throw new Failure(error.message);
    throw error;
  });
  const journals = new SegmentedJournals(segments, deps);
  let cancel = () => {};
  let tidying = Promise.resolve();
  const tidyLater = (store: ObjectStore) => {
    cancel = clock.after(tidyMs, () => {
      tidying = segments
        .tidy(store)
        .catch((error: unknown) => log.warn('failed to copy files out of segments', { error: String(error) }))
        .then(() => tidyLater(store));
    });
  };
  return {
    log: segments,
    journals,
    async begin(store) {
      await journals.begin();
      tidyLater(store);
    },
    async close() {
      cancel();
      await segments.close();
      cancel();
      await tidying;
      cancel();
    },
  };
}
