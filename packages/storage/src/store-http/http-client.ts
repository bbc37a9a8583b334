import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@weir/core';
import { onAbort } from '../store/abort.ts';
import { contentBytes } from '../store/content.ts';
import type { ReadMemory } from '../store/object-store.ts';
import { type HttpResponse, ResponseReader } from './response-reader.ts';

export interface HttpEndpoint {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** Without `content-length`, which follows from the content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: readonly Uint8Array[];
  readonly bodyBytesMax: number;
  /** Memory for the body of a success, if its length is announced. */
  readonly memory?: ReadMemory | undefined;
}

/** Finds the addresses of a host. Throws if a connection to it is not allowed. */
export type LookupFor = (host: string, port: number) => LookupFunction;

interface HttpClientOptions {
  readonly endpoint: HttpEndpoint;
  /** Absent for the resolver of the system. */
  readonly lookupFor?: LookupFor | undefined;
  readonly clock: Clock;
  readonly connectionsMax: number;
}

/** The connection to the server broke. It is unknown whether the request arrived. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Servers close connections that are idle for longer, and a request at that moment would fail needlessly. */
const idleMsMax = 4_000;

interface Connection {
  readonly socket: Socket;
  idleSinceMs: number;
}

interface Waiter {
  readonly take: (connection: Connection | undefined) => void;
}

/**
 * HTTP/1.1 with little overhead between the caller's slices and the socket: a request is one `writev` of its head and
 * its content. A put of 4 MiB takes a fifth of the CPU time that it takes through the SDK.
 *
 * Once a promise settles, the content is no longer used: what was not handed to the kernel by then is dropped with the
 * connection.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Socket>();
  readonly #waiters: Waiter[] = [];
  #connecting = 0;
  #isClosed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  async request(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> {
    signal?.throwIfAborted();
    const connection = await this.#acquire(signal);
    let isReusable = false;
    try {
      const exchange = await exchangeOver(connection.socket, request, signal);
      isReusable = exchange.isReusable;
      return exchange.response;
    } finally {
      this.#release(connection, isReusable);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#idle.splice(0)) socket.destroy();
    for (const socket of this.#busy) socket.destroy(new ConnectionLost('the store was closed'));
    for (const { take } of this.#waiters.splice(0)) take(undefined);
  }

  async #acquire(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#isClosed) throw new ConnectionLost('the store was closed');
    const idle = this.#takeIdle();
    if (idle !== undefined) return this.#taken(idle);
    if (this.#busy.size + this.#connecting < this.#options.connectionsMax) return await this.#connect(signal);
    const handed = await this.#wait(signal);
    if (handed !== undefined) return this.#taken(handed);
    return await this.#acquire(signal);
  }

  #takeIdle(): Connection | undefined {
    const nowMs = this.#options.clock.monotonicMs();
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return undefined;
      if (!connection.socket.destroyed && nowMs - connection.idleSinceMs < idleMsMax) return connection;
      connection.socket.destroy();
    }
  }

  #taken(connection: Connection): Connection {
    connection.socket.ref();
    this.#busy.add(connection.socket);
    return connection;
  }

  /** Waits for a connection that another request releases, or for room for a new one (`undefined`). */
  #wait(signal: AbortSignal | undefined): Promise<Connection | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        take: (connection) => {
          release();
          resolve(connection);
        },
      };
      this.#waiters.push(waiter);
      const release = onAbort(signal, (reason) => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(reason);
      });
    });
  }

  async #connect(signal: AbortSignal | undefined): Promise<Connection> {
    this.#connecting++;
    try {
      const socket = await openSocket(this.#options, signal);
      if (this.#isClosed) {
        socket.destroy();
        throw new ConnectionLost('the store was closed');
      }
      // An idle connection that the server closes must not crash the process.
      socket.on('error', () => socket.destroy());
      return this.#taken({ socket, idleSinceMs: 0 });
    } catch (error) {
      this.#waiters.shift()?.take(undefined);
      throw error;
    } finally {
      this.#connecting--;
    }
  }

  #release(connection: Connection, isReusable: boolean): void {
    this.#busy.delete(connection.socket);
    if (!isReusable || this.#isClosed || connection.socket.destroyed) {
      connection.socket.destroy();
      this.#waiters.shift()?.take(undefined);
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.take(connection);
      return;
    }
    connection.idleSinceMs = this.#options.clock.monotonicMs();
    connection.socket.unref();
    this.#idle.push(connection);
  }
}

/** The value of the header `host`. The default port of the scheme is not in it, and so not in a signature. */
export function hostHeader({ host, port, isTls }: HttpEndpoint): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (isTls ? 443 : 80) ? name : `${name}:${port}`;
}

function openSocket(
  { endpoint, lookupFor }: HttpClientOptions,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const { host, port, isTls } = endpoint;
  return new Promise((resolve, reject) => {
    const lookup = lookupFor?.(host, port);
    const options = { host, port, noDelay: true, ...(lookup && { lookup }) };
    const socket = isTls
      ? connectTls({ ...options, servername: host, ALPNProtocols: ['http/1.1'] }, connected)
      : connectPlain(options, connected);
    const release = onAbort(signal, (reason) => {
      socket.destroy();
      reject(reason);
    });
    function failed(error: Error): void {
      release();
      reject(new ConnectionLost(`no connection to ${host}:${port}: ${problemOf(error)}`, { cause: error }));
    }
    socket.once('error', failed);
    function connected(): void {
      release();
      socket.off('error', failed);
      resolve(socket);
    }
  });
}

interface Exchange {
  readonly response: HttpResponse;
  readonly isReusable: boolean;
}

function exchangeOver(
  socket: Socket,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader(request);
    let isWritten = false;
    let release = () => {};

    function settle(how: () => void): void {
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      release();
      how();
    }
    function fail(error: unknown): void {
      // Destroyed first: the slices belong to the caller again when the promise settles.
      socket.destroy();
      settle(() => reject(error));
    }
    function succeed(response: HttpResponse): void {
      // A server that answers before it has read everything will not read the rest either.
      if (!isWritten) socket.destroy();
      settle(() => resolve({ response, isReusable: isWritten && reader.isReusable }));
    }
    function onData(chunk: Buffer): void {
      try {
        reader.push(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      if (reader.response !== undefined) succeed(reader.response);
    }
    function onEnd(): void {
      reader.end();
      if (reader.response !== undefined) succeed(reader.response);
      else fail(new ConnectionLost('the server closed the connection before the end of its response'));
    }
    function onError(error: Error): void {
      fail(new ConnectionLost(`the connection broke: ${problemOf(error)}`, { cause: error }));
    }
    function onClose(): void {
      fail(new ConnectionLost('connection closed'));
    }

    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    release = onAbort(signal, fail);
    if (socket.destroyed) {
      onClose();
      return;
    }

    socket.cork();
    socket.write(headOf(request), 'latin1', written(request.content.length === 0));
    for (const [index, slice] of request.content.entries()) {
      socket.write(slice, written(index === request.content.length - 1));
    }
    socket.uncork();

    function written(isLast: boolean): (() => void) | undefined {
      return isLast
        ? () => {
            isWritten = true;
          }
        : undefined;
    }
  });
}

function headOf({ method, path, headers, content }: HttpRequest): string {
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (method === 'PUT' || method === 'POST') head += `content-length: ${contentBytes(content)}\r\n`;
  return `${head}\r\n`;
}

/** Node joins the errors of several addresses into one without a message. */
export function problemOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code : error.message;
}
