/** Sort orders: how rows within files should be sorted. Order 0 is unsorted. */
import type { Json, JsonObject } from '../json/exact-json.ts';
import { ObjectReader } from '../json/json-reader.ts';
import { icebergLimits } from '../limits.ts';
import type { Schema } from '../schema/schema.ts';
import { typeText } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { canTransform, parseTransform, type Transform, transformText } from './transform.ts';

const directions = ['asc', 'desc'] as const;
const nullOrders = ['nulls-first', 'nulls-last'] as const;

interface SortField {
  readonly sourceId: number;
  readonly transform: Transform;
  readonly direction: (typeof directions)[number];
  readonly nullOrder: (typeof nullOrders)[number];
}

export interface SortOrder {
  readonly id: number;
  readonly fields: readonly SortField[];
}

export const unsorted: SortOrder = { id: 0, fields: [] };

export function checkSortOrder(order: SortOrder, schema: Schema): void {
  if (order.fields.length > icebergLimits.tableSpecFieldsMax)
    throw new InvalidTable(`a sort order has at most ${icebergLimits.tableSpecFieldsMax} fields`);
  for (const { sourceId, transform } of order.fields) {
    const column = schema.column(sourceId);
    if (column === undefined)
      throw new InvalidTable(`sort order: there is no column with the id ${sourceId}`);
    if (transform.kind === 'unknown' || column.isRepeated || !canTransform(transform, column.type))
      throw new InvalidTable(
        `sort order: ${transformText(transform)} does not apply to ${column.path.join('.')}, which is ${typeText(column.type)}`,
      );
  }
}

export function isSameOrder(one: SortOrder, other: SortOrder): boolean {
  return JSON.stringify(sortOrderJson(one).fields) === JSON.stringify(sortOrderJson(other).fields);
}

export function sortOrderJson({ id, fields }: SortOrder): JsonObject {
  return {
    'order-id': id,
    fields: fields.map(({ sourceId, transform, direction, nullOrder }) => ({
      transform: transformText(transform),
      'source-id': sourceId,
      direction,
      'null-order': nullOrder,
    })),
  };
}

export function readSortOrder(json: Json | undefined, place: string): SortOrder {
  const reader = new ObjectReader(json, place);
  return {
    id: reader.integer('order-id'),
    fields: reader.list('fields', (item, at) => {
      const field = new ObjectReader(item, at);
      return {
        sourceId: field.integer('source-id'),
        transform: parseTransform(field.text('transform'), at),
        direction: oneOf(directions, field.text('direction'), at),
        nullOrder: oneOf(nullOrders, field.text('null-order'), at),
      };
    }),
  };
}

function oneOf<Choice extends string>(choices: readonly Choice[], text: string, place: string): Choice {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new InvalidTable(`${place}: must be one of ${choices.join(', ')}`);
  return found;
}
