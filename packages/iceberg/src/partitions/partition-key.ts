import type { Value } from '../values/value.ts';

interface InPartition {
  readonly specId: number;
  readonly partition: readonly (Value | null)[];
}

/** The same text for files of one partition of one spec: null is not the text `null`, and -0 not 0. */
export function partitionKey({ specId, partition }: InPartition): string {
  return JSON.stringify([specId, ...partition.map(valueKey)]);
}

function valueKey(value: Value | null): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  return `${typeof value} ${Object.is(value, -0) ? '-0' : String(value)}`;
}
