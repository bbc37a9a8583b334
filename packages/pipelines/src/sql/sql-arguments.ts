import { type Mapping, textOf, type Value } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import type { Batch } from '../component/message.ts';
import type { SqlArgument } from './database.ts';

/** The arguments of a statement for a message. Throws if the mapping fails or returns no list. */
export function argumentsFor(
  mapping: Mapping | undefined,
  batch: Batch,
  index: number,
  { mappingPorts }: ComponentContext,
  field = 'args_mapping',
): SqlArgument[] {
  if (mapping === undefined) return [];
  const result = mapping.apply(batch[index] ?? {}, { batch, index }, mappingPorts);
  const value = result.kind === 'value' ? result.value : undefined;
  if (!Array.isArray(value)) throw new Error(`${field} has to return a list`);
  return value.map(argumentOf);
}

function argumentOf(value: Value, index: number): SqlArgument {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  // SQLite has no other booleans, and PostgreSQL takes these texts.
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if ('buffer' in value && value.buffer instanceof Buffer) return value.buffer;
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
    throw new Error(`argument ${index + 1} is a list or an object; use format_json()`);
  return textOf(value);
}
