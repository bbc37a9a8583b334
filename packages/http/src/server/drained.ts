import type { Writable } from 'node:stream';

/** Resolves when more can be written to a stream, or it has ended: when a client has read enough, or has left. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stream.off('drain', end).off('close', end);
      resolve();
    };
    stream.on('drain', end).on('close', end);
  });
}
