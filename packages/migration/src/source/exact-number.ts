import { Failure } from '@weir/core';

/** An int64 of a source as a number. No log has so many records that one would not be exact. */
export function exactNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new Failure(`the source answers with ${value}, which is no offset of a log`);
  return number;
}
