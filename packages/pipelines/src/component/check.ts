import type { Mapping, MappingPorts } from '@weir/bloblang';
import type { Batch } from './message.ts';

/** Whether a query is true for a message of a batch. Throws if it fails, or is neither true nor false. */
export function isTrueFor(check: Mapping, batch: Batch, index: number, ports: MappingPorts): boolean {
  const result = check.apply(batch[index] ?? {}, { batch, index }, ports);
  if (result.kind === 'value' && typeof result.value === 'boolean') return result.value;
  throw new Error('the check has to be true or false');
}
