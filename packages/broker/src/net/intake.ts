import { Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';
import { KiB } from '@weir/core';

/** Receives the bytes of a connection. */
export interface Receiver {
  /**
   * Destination of the next bytes; `undefined` if any memory will do. Evaluated after every read, and used for the next
   * one.
   */
  readonly place: Buffer | undefined;
  /** Called when that many bytes have arrived at `place`. */
  onPlaced(bytes: number): void;
  /** Receives bytes that are overwritten after it returns. */
  onChunk(chunk: Buffer): void;
}

export interface Intake {
  /** The socket for everything except reading. */
  readonly socket: Socket;
  /** Begins to read. A few chunks may still arrive after `pause`. */
  start(receiver: Receiver): void;
  pause(): void;
  resume(): void;
}

/** Internals of a Node.js socket; any of them may be missing in another release. */
interface SocketInside {
  _handle?: Handle | null;
  [part: symbol]: unknown;
}

interface Handle {
  useUserBuffer?: (buffer: Buffer) => void;
  reading?: boolean;
  readStop?: () => void;
}

/** All connections read into the same buffer, because it is consumed before the next read. */
const receiveBuffer = Buffer.allocUnsafeSlow(64 * KiB);

/**
 * Takes over a connection of which nothing has been read, or only bytes that were put back. Only this file knows how
 * bytes get into memory.
 *
 * Node.js reads into our memory if a socket is created with `onread`, which a server cannot request. So a plain
 * connection is moved from the server's socket into a new socket, and the internals of a TLS socket are changed
 * afterwards. If that is not possible (another release of Node.js), bytes arrive in freshly allocated chunks, at about
 * twice the cost.
 */
export function takeOver(accepted: Socket): Intake {
  const { _handle: handle } = accepted as unknown as SocketInside;
  if (typeof handle?.useUserBuffer !== 'function') return readChunks(accepted);
  if (Object.getPrototypeOf(accepted) === Socket.prototype) return readIntoOwnMemory(accepted, handle);
  return accepted instanceof TLSSocket ? readSecured(accepted) : readChunks(accepted);
}

/** Destination of the next read of a connection, and the receiver to notify. */
class ReceiveBuffer {
  #receiver: Receiver | undefined;
  #place: Buffer | undefined;

  begin(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  buffer(): Buffer {
    this.#place = this.#receiver?.place;
    return this.#place ?? receiveBuffer;
  }

  received(bytes: number): boolean {
    if (this.#place === undefined) this.#receiver!.onChunk(receiveBuffer.subarray(0, bytes));
    else this.#receiver!.onPlaced(bytes);
    return true;
  }
}

function readIntoOwnMemory(accepted: Socket, handle: Handle): Intake {
  const early = takeBuffered(accepted);
  if (handle.reading === true) {
    handle.reading = false;
    handle.readStop?.();
  }
  (accepted as unknown as SocketInside)._handle = null;
  const memory = new ReceiveBuffer();
  const options: Omit<SocketConstructorOpts, 'handle'> & { handle: object; manualStart: boolean } = {
    handle,
    manualStart: true,
    onread: { buffer: () => memory.buffer(), callback: (bytes) => memory.received(bytes) },
  };
  const socket = new Socket(options as SocketConstructorOpts);
  // The server counts the sockets that it created.
  socket.once('close', () => accepted.destroy());
  return intakeOf(socket, (receiver) => {
    memory.begin(receiver);
    socket.resume();
    // Not earlier: the receiver may want to pause.
    for (const chunk of early) receiver.onChunk(chunk);
  });
}

/** Internal fields that `onread` sets in a new socket. */
const memoryParts = ['kBuffer', 'kBufferGen', 'kBufferCb'] as const;

function readSecured(socket: TLSSocket): Intake {
  const inside = socket as unknown as SocketInside;
  const symbols = Object.getOwnPropertySymbols(socket);
  const parts = memoryParts.map((name) => symbols.find(({ description }) => description === name));
  const [buffer, nextBuffer, callback] = parts;
  if (buffer === undefined || nextBuffer === undefined || callback === undefined) return readChunks(socket);
  return intakeOf(socket, (receiver) => {
    const memory = new ReceiveBuffer();
    const early = takeBuffered(socket);
    memory.begin(receiver);
    const first = memory.buffer();
    inside[buffer] = first;
    inside[nextBuffer] = () => memory.buffer();
    inside[callback] = (bytes: number) => memory.received(bytes);
    inside._handle?.useUserBuffer?.(first);
    socket.resume();
    for (const chunk of early) receiver.onChunk(chunk);
  });
}

/** For sockets that bring their own memory. */
export function readChunks(socket: Socket): Intake {
  return intakeOf(socket, (receiver) => {
    socket.on('data', (chunk) => receiver.onChunk(chunk));
    socket.resume();
  });
}

function intakeOf(socket: Socket, start: Intake['start']): Intake {
  return {
    socket,
    start,
    pause: () => {
      socket.pause();
    },
    resume: () => {
      socket.resume();
    },
  };
}

/** Returns bytes that a socket has buffered or was given back. */
function takeBuffered(socket: Socket): Buffer[] {
  const chunks: Buffer[] = [];
  while (socket.readableLength > 0) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) break;
    chunks.push(chunk);
  }
  return chunks;
}
