/** The transforms of a table: mappings, one after the other, each over what the one before made. */
import { type Mapping, MappingFailure, type Value } from '@weir/bloblang';
import { fail } from './row-fault.ts';

/** A record that a transform has dropped. */
export const dropped = Symbol('dropped');

/**
 * Runs transforms. Each begins with the document, so that what it does not assign stays as it is. One that deletes
 * `root` drops the record.
 */
export function transformed(mappings: readonly Mapping[], document: Value): Value | typeof dropped {
  let value = document;
  for (let index = 0; index < mappings.length; index++) {
    try {
      const result = mappings[index]!.apply({ value }, { startsFromDocument: true });
      if (result.kind === 'deleted') return dropped;
      if (result.kind === 'value') value = result.value;
    } catch (error) {
      if (!(error instanceof MappingFailure)) throw error;
      const why = error.message.replaceAll(/\s+/g, ' ').slice(0, 500);
      fail('transform', `failed to apply bento transform at index ${index}: ${why}`);
    }
  }
  return value;
}
