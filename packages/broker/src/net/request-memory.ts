import { MemoryCounter } from '@weir/core';

/**
 * Bytes held by requests of all connections, including unfinished frames. While it is full, no connection begins
 * another frame.
 */
export class RequestMemory extends MemoryCounter {
  #leavingBytes = 0;

  /**
   * Whether unfinished frames grew so much that one connection has to be closed. What connections hold that are being
   * closed does not count: it is in use until their sockets are closed, and no other has to be closed for it.
   */
  get isOverrun(): boolean {
    return this.bytes - this.#leavingBytes >= 2 * this.bytesMax;
  }

  /** Changes the part of the bytes that is held by connections that are being closed. */
  changeLeaving(byBytes: number): void {
    this.#leavingBytes += byBytes;
  }
}
