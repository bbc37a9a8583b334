import { BatchFailure, type Delivery } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';

/** Settles a delivery when all of its parts are settled; with an error if a part has one. */
export function sharedSettling(delivery: Delivery, partCount: number): Delivery['settle'] {
  let left = partCount;
  let firstError: Error | undefined;
  let failed: Set<number> | undefined = new Set();
  return async (error, indexes) => {
    if (error !== undefined) {
      firstError ??= error;
      if (indexes === undefined) failed = undefined;
      else if (failed !== undefined) for (const index of indexes) failed.add(index);
    }
    if (--left === 0) await delivery.settle(firstError, firstError === undefined ? undefined : failed);
  };
}

/** The places in the delivery of the messages that failed; `undefined` if they cannot be told apart. */
export function failedIndexes(batch: Batch, error: Error): Set<number> | undefined {
  const indexes = new Set<number>();
  const messages = error instanceof BatchFailure ? [...error.failed.keys()].map((at) => batch[at]) : batch;
  for (const message of messages) {
    if (message?.origin === undefined) return undefined;
    indexes.add(message.origin.index);
  }
  return indexes;
}

/** Gives messages their place in the delivery, where an input has not done so. */
export function withOrigins(batch: Batch): Batch {
  return batch.every(({ origin }, index) => origin?.index === index)
    ? batch
    : batch.map((message, index) => message.withOrigin({ ...message.origin, index }));
}
