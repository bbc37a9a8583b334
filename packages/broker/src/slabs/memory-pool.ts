/** Memory that is used again, with a limit. */
export interface MemoryPool {
  /** Bytes of all slabs, used or not. */
  readonly bytes: number;
  /** Bytes that nothing uses. */
  readonly freeBytes: number;
  /** Returns memory with any content; `undefined` if there is no room. */
  take(bytes: number): PooledMemory | undefined;
}

/** A piece of a pool. */
export interface PooledMemory {
  readonly bytes: Buffer;
  /** Allows the bytes to be overwritten. Further calls do nothing. */
  release(): void;
}
