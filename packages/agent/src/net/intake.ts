import type { Socket } from 'node:net';

export interface Intake {
  pause(): void;
  resume(): void;
}

/**
 * Hands over what a socket receives. This is the only place that knows how the bytes get into memory: chunks come from 'data'
 * events, each a buffer of its own that nobody uses again. A few chunks may still come after `pause`.
 */
export function receiveChunks(socket: Socket, onChunk: (chunk: Buffer) => void): Intake {
  socket.on('data', onChunk);
  return {
    pause: () => {
      socket.pause();
    },
    resume: () => {
      socket.resume();
    },
  };
}
