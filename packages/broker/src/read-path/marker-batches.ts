import { markerCoordinatorEpoch, type Pointers } from '@weir/cluster';
import { buildEndTransactionMarker } from '@weir/wire';

/** Whether a row of pointers is the end of a transaction, which is not stored in a file. */
export function isMarker({ fileId }: Pointers, row: number): boolean {
  return fileId[row] === '';
}

/**
 * Builds the batch for a row that is the end of a transaction. Its offset is written with its head, as for any other
 * batch.
 */
export function markerBatch({ markers }: Pointers, row: number): Buffer {
  const index = markers?.row.indexOf(row) ?? -1;
  if (markers === undefined || index === -1) throw new Error(`row ${row} of the pointers is not a marker`);
  return buildEndTransactionMarker({
    result: markers.isCommit[index] === 1 ? 'commit' : 'abort',
    producerId: BigInt(markers.producerId[index]!),
    producerEpoch: markers.producerEpoch[index]!,
    coordinatorEpoch: markerCoordinatorEpoch,
    timestamp: BigInt(markers.timestampMs[index]!),
  });
}
