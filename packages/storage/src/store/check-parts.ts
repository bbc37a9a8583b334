import { storageLimits } from '../limits.ts';
import { StoreError } from './store-error.ts';

/** Checks that all parts are stored and that all but the last are full. */
export function checkParts(key: string, partEnds: readonly number[], partCount: number): void {
  for (let index = 0; index < partCount; index++) {
    const end = partEnds[index];
    if (end === undefined || (index < partCount - 1 && end !== (index + 1) * storageLimits.uploadPartBytes))
      throw new StoreError('invalid', key, `part ${index} of ${partCount} is missing or has a wrong size`);
  }
  if (partCount < 1 || partEnds.length !== partCount)
    throw new StoreError('invalid', key, `${partEnds.length} parts were stored and not ${partCount}`);
}
