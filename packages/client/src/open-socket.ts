import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { type Clock, formatDurationMs } from '@weir/core';
import type { Address } from './address.ts';
import { ConnectionFailed, connectionFailure } from './connection-failed.ts';

/** TLS settings as PEM. Without them, the system's trust store applies and no client certificate is sent. */
export interface ClientTls {
  readonly authorities?: Buffer;
  readonly certificate?: Buffer;
  readonly privateKey?: Buffer;
  /** Accepts every certificate, so the identity of the server is not verified. */
  readonly skipsVerification?: boolean;
  /** Accepts a trusted certificate whatever names it has. */
  readonly skipsNames?: boolean;
  /** More settings, as Node takes them: several certificates, keys with passwords. */
  readonly context?: SecureContextOptions;
}

export interface SocketOptions {
  readonly address: Address;
  /** Absent for a plain connection. */
  readonly tls?: ClientTls | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Resolves the name of an address, and throws if a client may not connect to it. Absent for the system's. */
  readonly lookupFor?: LookupFor | undefined;
}

/** Where a socket reads to. */
export interface SocketReader {
  /** The next read goes there. Asked before each read. */
  place(): Buffer;
  /** So many bytes were read into the last place. */
  received(bytes: number): void;
}

export type LookupFor = (host: string, port: number) => LookupFunction;

/**
 * Resolves the name, connects and, if asked, performs the TLS handshake. Throws `ConnectionFailed`. With a reader, the
 * socket has no `data` events.
 */
export function openSocket(options: SocketOptions, reader?: SocketReader): Promise<Socket> {
  const { address, tls, timeoutMs, clock, stop, lookupFor } = options;
  return new Promise((resolve, reject) => {
    const more = {
      ...(lookupFor && { lookup: lookupFor(address.host, address.port) }),
      ...(reader && {
        onread: {
          buffer: () => reader.place(),
          callback: (bytes: number) => {
            reader.received(bytes);
            return true;
          },
        },
      }),
    };
    const socket =
      tls === undefined
        ? connectTcp({ ...address, ...more })
        : connectTls({ ...tlsOptions(address, tls), ...more });
    const cancelTimeout = clock.after(timeoutMs, () =>
      fail(new ConnectionFailed(address, 'timeout', `no connection within ${formatDurationMs(timeoutMs)}`)),
    );
    const onStop = () => fail(stopped(address));
    const onError = (error: NodeJS.ErrnoException) => {
      const failure = connectionFailure(address, error);
      fail(failure.problem === 'closed' ? closedEarly() : failure);
    };
    const onClose = () => fail(closedEarly());

    /** A plain listener rejects a TLS handshake as garbage and closes the connection. */
    function closedEarly(): ConnectionFailed {
      return tls === undefined
        ? new ConnectionFailed(address, 'closed', 'the broker closed the connection')
        : new ConnectionFailed(address, 'server speaks no TLS', 'the broker ended the TLS handshake');
    }

    function settle(): void {
      cancelTimeout();
      stop.removeEventListener('abort', onStop);
      socket.off('error', onError);
      socket.off('close', onClose);
    }
    function fail(failure: ConnectionFailed): void {
      settle();
      // Errors during teardown are ignored.
      socket.on('error', () => {});
      socket.destroy();
      reject(failure);
    }

    socket.setNoDelay(true);
    socket.on('error', onError);
    socket.on('close', onClose);
    stop.addEventListener('abort', onStop);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      settle();
      resolve(socket);
    });
    if (stop.aborted) onStop();
  });
}

export function stopped(address: Address): ConnectionFailed {
  return new ConnectionFailed(address, 'stopped', 'stopped before a response arrived');
}

function tlsOptions(
  { host, port }: Address,
  { authorities, certificate, privateKey, skipsVerification = false, skipsNames = false, context }: ClientTls,
) {
  return {
    host,
    port,
    // An IP address is not allowed as SNI.
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    rejectUnauthorized: !skipsVerification,
    ...(skipsNames && { checkServerIdentity: () => undefined }),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
    ...context,
  };
}
