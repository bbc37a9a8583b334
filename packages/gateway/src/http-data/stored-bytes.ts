import type { apis, ResponseOf } from '@weir/wire';

type Partition = ResponseOf<typeof apis.Fetch>['responses'][number]['partitions'][number];

/** Bytes of the records of a partition in an answer to Fetch. */
export function storedBytes({ records }: Pick<Partition, 'records'>): number {
  if (records === null || records === undefined) return 0;
  if (Buffer.isBuffer(records)) return records.length;
  return (records as readonly Buffer[]).reduce((bytes, { length }) => bytes + length, 0);
}
