import { Socket, type SocketConstructorOpts } from 'node:net';
import { KiB } from '@weir/core';

/** Who gets the bytes of a connection. */
export interface Receiver {
  /** Where the next bytes should go; `undefined` when anywhere will do. Asked after every read, and kept to until the next. */
  readonly place: Buffer | undefined;
  /** So many bytes have come and lie where `place` said. */
  onPlaced(bytes: number): void;
  /** Bytes that are overwritten when this returns. */
  onChunk(chunk: Buffer): void;
}

export interface Intake {
  /** What is left to do with the connection is done with this. */
  readonly socket: Socket;
  /** Begins to read. A few chunks may still come after `pause`. */
  start(receiver: Receiver): void;
  pause(): void;
  resume(): void;
}

/** What a socket of the runtime has for its own use; any part may be gone in another release. */
interface SocketInside {
  _handle?: { useUserBuffer?: unknown } | null;
}

/** All connections read into the same memory, for it is empty again before the next is read. */
const landing = Buffer.allocUnsafeSlow(64 * KiB);

/**
 * Takes over an accepted connection that has not been read. This is the only place that knows how bytes get into memory.
 *
 * The runtime reads into memory of ours when a socket is made with `onread`, which a server cannot ask for. So the connection is taken
 * out of the socket that the server made and put into one of our own. Where that is not possible (TLS, another release of the
 * runtime) bytes come as chunks of fresh memory, at about twice the price.
 */
export function takeOver(accepted: Socket): Intake {
  const handle = (accepted as unknown as SocketInside)._handle;
  const isPlain = Object.getPrototypeOf(accepted) === Socket.prototype;
  return isPlain && typeof handle?.useUserBuffer === 'function'
    ? readIntoOwnMemory(accepted, handle)
    : readChunks(accepted);
}

function readIntoOwnMemory(accepted: Socket, handle: object): Intake {
  let receiver: Receiver | undefined;
  let place: Buffer | undefined;
  (accepted as unknown as SocketInside)._handle = null;
  const options: Omit<SocketConstructorOpts, 'handle'> & { handle: object; manualStart: boolean } = {
    handle,
    manualStart: true,
    onread: {
      buffer() {
        place = receiver?.place;
        return place ?? landing;
      },
      callback(bytes) {
        if (place === undefined) receiver!.onChunk(landing.subarray(0, bytes));
        else receiver!.onPlaced(bytes);
        return true;
      },
    },
  };
  const socket = new Socket(options as SocketConstructorOpts);
  // The server counts the sockets that it made.
  socket.once('close', () => accepted.destroy());
  return {
    socket,
    start(given) {
      receiver = given;
      socket.resume();
    },
    pause: () => {
      socket.pause();
    },
    resume: () => {
      socket.resume();
    },
  };
}

/** For sockets that bring memory of their own. */
export function readChunks(socket: Socket): Intake {
  return {
    socket,
    start(receiver) {
      socket.on('data', (chunk) => receiver.onChunk(chunk));
      socket.resume();
    },
    pause: () => {
      socket.pause();
    },
    resume: () => {
      socket.resume();
    },
  };
}
