import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Clock, formatDurationMs } from '@weir/core';
import type { Address } from './address.ts';
import { ConnectionFailed, connectionFailure } from './connection-failed.ts';

/** What TLS needs, as PEM. What is not given is what the system trusts, and no client certificate. */
export interface ClientTls {
  readonly authorities?: Buffer;
  readonly certificate?: Buffer;
  readonly privateKey?: Buffer;
  /** Takes every certificate for good. Whoever answers may be anybody. */
  readonly skipsVerification?: boolean;
}

export interface SocketOptions {
  readonly address: Address;
  /** Absent for a plain connection. */
  readonly tls?: ClientTls | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** Resolves the name, connects and, where asked, shakes hands over TLS. Throws `ConnectionFailed`. */
export function openSocket({ address, tls, timeoutMs, clock, stop }: SocketOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tls === undefined ? connectTcp(address) : connectTls(tlsOptions(address, tls));
    const cancelTimeout = clock.after(timeoutMs, () =>
      fail(new ConnectionFailed(address, 'timeout', `no connection within ${formatDurationMs(timeoutMs)}`)),
    );
    const onStop = () => fail(stopped(address));
    const onError = (error: NodeJS.ErrnoException) => {
      const failure = connectionFailure(address, error);
      fail(failure.problem === 'closed' ? closedEarly() : failure);
    };
    const onClose = () => fail(closedEarly());

    /** A listener without TLS takes the first bytes of a handshake for nonsense and hangs up. */
    function closedEarly(): ConnectionFailed {
      return tls === undefined
        ? new ConnectionFailed(address, 'closed', 'the other side closed the connection')
        : new ConnectionFailed(address, 'server speaks no TLS', 'the other side ended the TLS handshake');
    }

    function settle(): void {
      cancelTimeout();
      stop.removeEventListener('abort', onStop);
      socket.off('error', onError);
      socket.off('close', onClose);
    }
    function fail(failure: ConnectionFailed): void {
      settle();
      // An error that comes while the socket is being taken down has nobody to tell.
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
  return new ConnectionFailed(address, 'stopped', 'stopped before the answer came');
}

function tlsOptions(
  { host, port }: Address,
  { authorities, certificate, privateKey, skipsVerification = false }: ClientTls,
) {
  return {
    host,
    port,
    // An address is no name that a server could choose its certificate by.
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    rejectUnauthorized: !skipsVerification,
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}
