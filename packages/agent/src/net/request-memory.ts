import { MemoryCounter } from '@weir/core';

/** Bytes that the requests of all connections hold, unfinished frames included. While it is full, no connection begins another frame. */
export class RequestMemory extends MemoryCounter {
  /** Frames that were begun grew so much that one of them has to go. */
  get isOverrun(): boolean {
    return this.bytes >= 2 * this.bytesMax;
  }
}
