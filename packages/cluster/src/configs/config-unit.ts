import type { ConfigUnit } from '@weir/core';
import type { ConfigRow } from './config-row.ts';

/** The end of a name, which carries the unit as in Kafka. */
const units: readonly (readonly [end: RegExp, unit: ConfigUnit])[] = [
  [/[._]ms$/, 'ms'],
  [/\.seconds$/, 'seconds'],
  [/\.minutes$/, 'minutes'],
  [/\.nanos$/, 'nanoseconds'],
  [/[._]bytes([._]per[._]second)?$/, 'bytes'],
];

/** Returns the unit of a number; `null` for a plain number and for other types. */
export function unitOf(name: string, { type }: Pick<ConfigRow, 'type'>): ConfigUnit | null {
  if (type.kafkaType !== 'INT' && type.kafkaType !== 'LONG') return null;
  return units.find(([end]) => end.test(name))?.[1] ?? null;
}
