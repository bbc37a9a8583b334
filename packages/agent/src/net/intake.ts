import { Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';
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
  _handle?: Handle | null;
  [part: symbol]: unknown;
}

interface Handle {
  useUserBuffer?: (buffer: Buffer) => void;
  reading?: boolean;
  readStop?: () => void;
}

/** All connections read into the same memory, for it is empty again before the next is read. */
const receiveBuffer = Buffer.allocUnsafeSlow(64 * KiB);

/**
 * Takes over a connection of which nothing, or nothing but what was put back, has been read. This is the only place that knows how
 * bytes get into memory.
 *
 * The runtime reads into memory of ours when a socket is made with `onread`, which a server cannot ask for. So a plain connection is
 * taken out of the socket that the server made and put into one of our own, and a socket that speaks TLS is told afterwards. Where
 * that is not possible (another release of the runtime) bytes come as chunks of fresh memory, at about twice the price.
 */
export function takeOver(accepted: Socket): Intake {
  const { _handle: handle } = accepted as unknown as SocketInside;
  if (typeof handle?.useUserBuffer !== 'function') return readChunks(accepted);
  if (Object.getPrototypeOf(accepted) === Socket.prototype) return readIntoOwnMemory(accepted, handle);
  return accepted instanceof TLSSocket ? readSecured(accepted) : readChunks(accepted);
}

/** Where the next read of a connection goes, and who hears of it. */
class Landing {
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
  const memory = new Landing();
  const options: Omit<SocketConstructorOpts, 'handle'> & { handle: object; manualStart: boolean } = {
    handle,
    manualStart: true,
    onread: { buffer: () => memory.buffer(), callback: (bytes) => memory.received(bytes) },
  };
  const socket = new Socket(options as SocketConstructorOpts);
  // The server counts the sockets that it made.
  socket.once('close', () => accepted.destroy());
  return intakeOf(socket, (receiver) => {
    memory.begin(receiver);
    socket.resume();
    // Not before: whoever takes it may want to pause.
    for (const chunk of early) receiver.onChunk(chunk);
  });
}

/** What `onread` sets in a socket that is made with it. */
const memoryParts = ['kBuffer', 'kBufferGen', 'kBufferCb'] as const;

function readSecured(socket: TLSSocket): Intake {
  const inside = socket as unknown as SocketInside;
  const symbols = Object.getOwnPropertySymbols(socket);
  const parts = memoryParts.map((name) => symbols.find(({ description }) => description === name));
  const [buffer, nextBuffer, callback] = parts;
  if (buffer === undefined || nextBuffer === undefined || callback === undefined) return readChunks(socket);
  return intakeOf(socket, (receiver) => {
    const memory = new Landing();
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

/** For sockets that bring memory of their own. */
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

/** What a socket has read or was given back. */
function takeBuffered(socket: Socket): Buffer[] {
  const chunks: Buffer[] = [];
  while (socket.readableLength > 0) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) break;
    chunks.push(chunk);
  }
  return chunks;
}
