import { parseJsonAs } from '@weir/api';
import { type EventPosition, eventTypeNames } from '@weir/events';
import * as z from 'zod';
import { OperationFailed } from '../operation-failed.ts';

/** Encodes the position after a returned event, where the next page begins. */
export function eventCursor({ timeMs, type, offset }: EventPosition): string {
  return Buffer.from(JSON.stringify([timeMs, type, offset])).toString('base64url');
}

const positionSchema = z.tuple([z.int(), z.enum(eventTypeNames), z.int()]);

export function readEventCursor(cursor: string): EventPosition {
  const found = parseJsonAs(positionSchema, Buffer.from(cursor, 'base64url').toString());
  if (found === undefined)
    throw new OperationFailed('invalid_request', 'cursor: is not a cursor of an earlier response');
  const [timeMs, type, offset] = found;
  return { timeMs, type, offset };
}
