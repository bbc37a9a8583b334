import type { RecordPosition } from '@weir/cluster';
import { OperationFailed } from '../operation-failed.ts';

/** Where a read of a topic continues, and in which direction. */
export interface RecordCursor {
  readonly direction: 'older' | 'newer';
  readonly positions: readonly RecordPosition[];
}

export function printRecordCursor({ direction, positions }: RecordCursor): string {
  const pairs = positions.map(({ partition, offset }) => [partition, offset]);
  return Buffer.from(JSON.stringify([direction, ...pairs])).toString('base64url');
}

/** Callers may send anything; what it names they may read anyway. */
export function readRecordCursor(text: string, partitionCount: number): RecordCursor {
  const [direction, ...pairs] = parsed(text);
  const isPosition = (pair: unknown): pair is [number, number] =>
    Array.isArray(pair) &&
    pair.length === 2 &&
    pair.every((part) => Number.isSafeInteger(part) && part >= 0) &&
    pair[0] < partitionCount;
  if ((direction !== 'older' && direction !== 'newer') || pairs.length === 0 || !pairs.every(isPosition))
    throw notOne();
  const positions = pairs.map(([partition, offset]) => ({ partition, offset }));
  if (new Set(positions.map(({ partition }) => partition)).size < positions.length) throw notOne();
  return { direction, positions };
}

function parsed(text: string): unknown[] {
  try {
    const found: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(found)) return found;
  } catch {
    // As below.
  }
  throw notOne();
}

function notOne(): OperationFailed {
  return new OperationFailed(
    'invalid_request',
    'cursor: is not a cursor of an earlier response for this topic',
  );
}
