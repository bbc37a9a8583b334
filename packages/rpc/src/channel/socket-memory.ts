import type { Duplex } from 'node:stream';
import { KiB } from '@weir/core';

/** Internals of a Node.js socket; any of them may be missing in another release. */
interface SocketInside {
  readonly _handle?: { readonly useUserBuffer?: (memory: Buffer) => void } | null;
  [part: symbol]: unknown;
}

/** All sockets read into the same memory, because it is consumed before the next read. */
const memory = Buffer.allocUnsafeSlow(64 * KiB);

/**
 * Makes a socket read into memory that all sockets share, instead of into 64 KiB that are allocated for each read.
 * Node.js offers that for sockets that it creates for us, and these come from a server; so internals are changed, as in
 * the agent's `net/intake.ts`. `onRead` gets the bytes, which are overwritten after it returns, and the socket emits no
 * `data` any more. Returns whether that was possible; it is not where the socket has bytes already.
 */
export function readIntoSharedMemory(socket: Duplex, onRead: (bytes: Buffer) => void): boolean {
  const inside = socket as unknown as SocketInside;
  const symbols = Object.getOwnPropertySymbols(socket);
  const [buffer, callback] = ['kBuffer', 'kBufferCb'].map((name) =>
    symbols.find(({ description }) => description === name),
  );
  const handle = inside._handle;
  if (buffer === undefined || callback === undefined || typeof handle?.useUserBuffer !== 'function')
    return false;
  if (socket.readableLength > 0) return false;
  inside[buffer] = memory;
  inside[callback] = (bytes: number) => {
    onRead(memory.subarray(0, bytes));
    return true;
  };
  handle.useUserBuffer(memory);
  return true;
}
