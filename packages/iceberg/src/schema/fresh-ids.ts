import { columnsInside } from './schema.ts';
import type { Column, Type } from './types.ts';

/**
 * Gives columns new ids, whatever theirs are, in the order of Apache Iceberg: all columns of a level before those
 * inside of them. `nextId` returns the ids.
 */
export function withFreshIds(columns: readonly Column[], nextId: () => number): Column[] {
  const ids = columns.map(nextId);
  return columns.map((column, at) => ({
    ...column,
    id: ids[at]!,
    type: typeWithFreshIds(column.type, nextId),
  }));
}

export function typeWithFreshIds(type: Type, nextId: () => number): Type {
  return withInside(type, withFreshIds(columnsInside(type), nextId));
}

/** The type with other columns inside of it, as many as `columnsInside` returns; a struct may have any number. */
export function withInside(type: Type, inside: readonly Column[]): Type {
  const [first, second] = inside;
  switch (type.kind) {
    case 'struct':
      return { kind: 'struct', columns: inside };
    case 'list':
      return {
        kind: 'list',
        elementId: first!.id,
        isElementRequired: first!.isRequired,
        element: first!.type,
      };
    case 'map':
      return {
        kind: 'map',
        keyId: first!.id,
        key: first!.type,
        valueId: second!.id,
        isValueRequired: second!.isRequired,
        value: second!.type,
      };
    default:
      return type;
  }
}

/** Returns ids one after the other; `last()` is the highest that was given. */
export function idsAfter(lastId: number): { readonly next: () => number; readonly last: () => number } {
  let id = lastId;
  return { next: () => ++id, last: () => id };
}
