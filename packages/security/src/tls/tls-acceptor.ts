import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Clock } from '@weir/core';
import { certificateNames } from './certificate-names.ts';
import type { NameOfCertificate } from './client-names.ts';
import type { ServerCertificates } from './server-certificates.ts';

/**
 * Whether client certificates are ignored, requested or required. A requested or required certificate must be valid if
 * the client sends one.
 */
export type ClientCertificates = 'ignored' | 'requested' | 'required';

export interface TlsAcceptorOptions {
  readonly certificates: Pick<ServerCertificates, 'context' | 'onChange'>;
  readonly clientCertificates: ClientCertificates;
  readonly nameOf: NameOfCertificate;
  readonly clock: Clock;
  /** Keys of session tickets. If absent, the runtime creates them, and new ones with every context. */
  readonly ticketKeys?: () => Buffer;
}

interface SecuredClient {
  readonly socket: TLSSocket;
  /** `undefined` for a client without a certificate. */
  readonly certificate: X509Certificate | undefined;
  readonly username: string | undefined;
}

/** Why a client was refused: a failed handshake, an invalid certificate, or the peer closed the connection. */
export class TlsRefusal extends Error {
  readonly reason: 'handshake' | 'certificate' | 'peer';

  constructor(reason: TlsRefusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Internal field of the runtime: the socket that carries the TLS connection. */
interface TlsSocketInside {
  readonly _parent?: Socket | null;
}

interface Waiting {
  resolve(socket: TLSSocket): void;
  reject(error: TlsRefusal): void;
}

/**
 * How long a client may resume a session without proving its certificate again. New server certificates end it at once.
 */
const sessionSeconds = 300;

/**
 * Accepts TLS connections. They are passed to a server of the runtime that does not listen, so that the runtime handles
 * handshakes, tickets and certificate chains.
 */
export class TlsAcceptor {
  readonly #options: TlsAcceptorOptions;
  readonly #server: Server;
  readonly #forget: () => void;
  readonly #waiting = new WeakMap<Socket, Waiting>();

  constructor(options: TlsAcceptorOptions) {
    const { certificates, clientCertificates } = options;
    this.#options = options;
    this.#server = createServer({
      ...certificates.context,
      requestCert: clientCertificates !== 'ignored',
      rejectUnauthorized: clientCertificates === 'required',
      sessionTimeout: sessionSeconds,
      ...this.#tickets(),
    });
    this.#server.on('secureConnection', (socket) => this.#waiterOf(socket)?.resolve(socket));
    this.#server.on('tlsClientError', (error, socket) => this.#failed(error, socket));
    this.#forget = certificates.onChange(() =>
      this.#server.setSecureContext({ ...certificates.context, ...this.#tickets() }),
    );
  }

  close(): void {
    this.#forget();
  }

  /**
   * Performs the TLS handshake on a connection of which nothing was read, or everything was unshifted. Rejects with a
   * `TlsRefusal`; the caller closes the connection and enforces a timeout.
   */
  async handshake(connection: Socket): Promise<SecuredClient> {
    if (connection.destroyed) throw new TlsRefusal('peer', 'client disconnected before the handshake');
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      this.#waiting.set(connection, { resolve, reject });
      this.#server.emit('connection', connection);
    });
    // Errors are handled through the close event.
    socket.on('error', () => {});
    return clientOf(socket, this.#options);
  }

  #tickets(): { readonly ticketKeys?: Buffer } {
    const { ticketKeys } = this.#options;
    return ticketKeys === undefined ? {} : { ticketKeys: ticketKeys() };
  }

  /** Called for every connection that ends before the handshake is complete. */
  #failed(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    const hasLeft = error.code === 'ECONNRESET';
    this.#waiterOf(socket)?.reject(
      // The server closes such a connection itself, and its error only says that connection closed.
      socket.authorizationError
        ? unauthorized(socket)
        : new TlsRefusal(hasLeft ? 'peer' : 'handshake', error.message),
    );
  }

  #waiterOf(socket: TLSSocket): Waiting | undefined {
    const connection = (socket as unknown as TlsSocketInside)._parent;
    const waiting =
      connection === undefined || connection === null ? undefined : this.#waiting.get(connection);
    // A connection without a waiting caller, or that cannot be identified, is closed.
    if (waiting === undefined) socket.destroy();
    return waiting;
  }
}

/** Returns the client of a connection whose handshake is complete. Throws a `TlsRefusal`. */
export function clientOf(
  socket: TLSSocket,
  { clientCertificates, nameOf, clock }: Omit<TlsAcceptorOptions, 'certificates'>,
): SecuredClient {
  const certificate = clientCertificates === 'ignored' ? undefined : socket.getPeerX509Certificate();
  if (certificate === undefined) {
    if (clientCertificates === 'required') throw new TlsRefusal('certificate', 'client sent no certificate');
    return { socket, certificate, username: undefined };
  }
  if (!socket.authorized) throw unauthorized(socket);
  // A resumed session does not present the certificate again, so its expiry is checked here.
  if (socket.isSessionReused() && certificate.validToDate.getTime() < clock.nowMs()) {
    throw new TlsRefusal('certificate', 'client certificate has expired');
  }
  const name = nameInCertificate(certificate.raw, nameOf);
  if ('problem' in name) throw new TlsRefusal('certificate', name.problem);
  return { socket, certificate, username: name.username };
}

function unauthorized(socket: TLSSocket): TlsRefusal {
  return new TlsRefusal('certificate', `client certificate is invalid: ${socket.authorizationError}`);
}

/** Returns the user that a valid certificate names. */
export function nameInCertificate(
  certificate: Buffer,
  nameOf: NameOfCertificate,
): ReturnType<NameOfCertificate> {
  try {
    return nameOf(certificateNames(certificate));
  } catch (error) {
    return {
      problem: `client certificate cannot be parsed: ${error instanceof Error ? error.message : error}`,
    };
  }
}
