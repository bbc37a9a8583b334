import type { ServerResponse } from 'node:http';

/** Resolves when a client has read enough for more to be written, or has left. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}
