import { eventTypeNames } from '../event-types.ts';
import type { Literal } from '../filter/tree.ts';
import type { EventPosition, SortOrder } from './request.ts';

/** Orders events by time, then by type, then by offset. */
export function comparePositions(one: EventPosition, other: EventPosition): number {
  return (
    one.timeMs - other.timeMs ||
    eventTypeNames.indexOf(one.type) - eventTypeNames.indexOf(other.type) ||
    one.offset - other.offset
  );
}

export function positionOrder(order: SortOrder): typeof comparePositions {
  return order === 'asc' ? comparePositions : (one, other) => comparePositions(other, one);
}

/** A total order that does not depend on the order of counting. */
export function compareKeys(one: Literal, other: Literal): number {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  return first < second ? -1 : first > second ? 1 : 0;
}
