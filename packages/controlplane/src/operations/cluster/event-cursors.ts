import { type EventPosition, isEventTypeName } from '@weir/events';
import { OperationFailed } from '../operation-failed.ts';

/** Encodes the position after a returned event, where the next page begins. */
export function eventCursor({ timeMs, type, offset }: EventPosition): string {
  return Buffer.from(JSON.stringify([timeMs, type, offset])).toString('base64url');
}

export function readEventCursor(cursor: string): EventPosition {
  const [timeMs, type, offset] = partsOf(cursor);
  if (!Number.isSafeInteger(timeMs) || !Number.isSafeInteger(offset) || !isEventTypeName(String(type)))
    throw new OperationFailed('invalid_request', 'cursor: is not a cursor of an earlier answer');
  return { timeMs, type, offset } as EventPosition;
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
