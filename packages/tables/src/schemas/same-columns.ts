import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@weir/iceberg';
import type { Column } from './columns.ts';

/** Whether columns are the same but for their ids and descriptions. */
export function sameColumns(one: readonly Column[], other: readonly Column[]): boolean {
  return isDeepStrictEqual(one.map(shapeOf), other.map(shapeOf));
}

function shapeOf({ name, isRequired, type }: Column): unknown {
  return [name, isRequired, typeShape(type)];
}

function typeShape(type: Type): unknown {
  switch (type.kind) {
    case 'struct':
      return type.columns.map(shapeOf);
    case 'list':
      return ['list', type.isElementRequired, typeShape(type.element)];
    case 'map':
      return ['map', typeShape(type.key), type.isValueRequired, typeShape(type.value)];
    default:
      return type;
  }
}
