import { type RecordBatchView, readControlRecord } from '@weir/wire';
import type { FetchedBatches } from './fetch.ts';

/**
 * Says of each batch in turn whether it is left out: control batches, which hold no user records, and batches of
 * aborted transactions. A producer may abort one transaction and commit the next, so its marker ends the exclusion.
 */
export function abortedFilter(aborted: FetchedBatches['aborted']): (batch: RecordBatchView) => boolean {
  const open = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const producers = new Set<bigint>();
  return (batch) => {
    while (open.length > 0 && open[0]!.firstOffset <= batch.lastOffset)
      producers.add(open.shift()!.producerId);
    if (!batch.isControl) return batch.isTransactional && producers.has(batch.producerId);
    const control = readControlRecord(batch);
    if (control.kind === 'endTransaction' && control.result === 'abort') producers.delete(batch.producerId);
    return true;
  };
}
