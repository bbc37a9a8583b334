import type { copiedRowKinds } from '@weir/cluster';
import type { BatchToCopy } from './copied-part.ts';

/** As many batches of a producer are recognised when it sends them again. */
const windowBatches = 5;

/** The highest id of a producer that a marker has room for (`machine`, log/marker.ts). No source hands out such ids. */
const producerIdMax = 2 ** 47 - 1;

export type ProducerBatch = BatchToCopy & { readonly kind: (typeof copiedRowKinds)[number] };

/**
 * Returns the batches that metadata needs to rebuild producers and transactions: markers, the first batch of each
 * transaction, and the last five batches of each producer. A file of many small batches so has a small commit.
 */
export function producerRows(batches: readonly BatchToCopy[]): ProducerBatch[] {
  const needed = new Set<BatchToCopy>();
  const windows = new Map<number, { epoch: number; rows: BatchToCopy[] }>();
  const open = new Set<number>();
  for (const batch of batches) {
    const { kind, producerId, producerEpoch: epoch, baseSequence } = batch;
    if (!isOfProducer(batch)) continue;
    if (kind === 'commitMarker' || kind === 'abortMarker') {
      open.delete(producerId);
      needed.add(batch);
      continue;
    }
    if (kind === 'transactional' && !open.has(producerId)) {
      open.add(producerId);
      needed.add(batch);
    }
    if (baseSequence < 0) continue;
    const window = windows.get(producerId);
    if (window?.epoch !== epoch) windows.set(producerId, { epoch, rows: [batch] });
    else {
      window.rows.push(batch);
      if (window.rows.length > windowBatches) window.rows.shift();
    }
  }
  for (const { rows } of windows.values()) for (const batch of rows) needed.add(batch);
  return batches.filter((batch): batch is ProducerBatch => needed.has(batch));
}

function isOfProducer({ kind, producerId, producerEpoch }: BatchToCopy): boolean {
  return kind !== 'otherControl' && producerId >= 0 && producerId <= producerIdMax && producerEpoch >= 0;
}
