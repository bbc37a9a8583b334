import { MemoryCounter } from '@weir/core';

/**
 * Bytes held by requests of all connections, including unfinished frames. While it is full, no connection begins
 * another frame.
 */
export class RequestMemory extends MemoryCounter {
  /** Whether unfinished frames grew so much that one connection has to be closed. */
  get isOverrun(): boolean {
    return this.bytes >= 2 * this.bytesMax;
  }
}
