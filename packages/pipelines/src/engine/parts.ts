import { BatchFailure, type Delivery } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { Outcomes, withOrigins } from './outcomes.ts';

/** Deliveries of the parts that were made of one; it is settled when all of them are. There is at least one part. */
export function partsOf(delivery: Delivery, parts: readonly Batch[]): Delivery[] {
  const outcomes = new Outcomes(delivery.batch.length);
  let left = parts.length;
  const settled = async () => {
    if (--left > 0) return;
    const { outcome } = outcomes;
    if (outcome === undefined) await delivery.settle();
    else await delivery.settle(outcome.error, new Set(outcome.failed.keys()));
  };
  return parts.map((part) => ({
    batch: withOrigins(part),
    settle: (error, failed) => {
      if (error === undefined) outcomes.written(part);
      else outcomes.failed(part, settledError(error, failed));
      return settled();
    },
  }));
}

/** What a delivery was settled with, as an error that knows which messages it is about. */
function settledError(error: Error, failed: ReadonlySet<number> | undefined): Error {
  if (failed === undefined)
    return error instanceof BatchFailure ? new Error(error.message, { cause: error }) : error;
  return new BatchFailure(new Map([...failed].map((index) => [index, error])));
}
