import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Clock } from '@weir/core';
import { certificateNames } from './certificate-names.ts';
import type { NameOfCertificate } from './client-names.ts';
import type { ServerCertificates } from './server-certificates.ts';

/**
 * What is asked of clients: nothing, a certificate of those who have one, or one of everybody. One that is given must be valid in
 * either case.
 */
export type ClientCertificates = 'ignored' | 'requested' | 'required';

export interface TlsAcceptorOptions {
  readonly certificates: ServerCertificates;
  readonly clientCertificates: ClientCertificates;
  readonly nameOf: NameOfCertificate;
  readonly clock: Clock;
}

export interface SecuredClient {
  readonly socket: TLSSocket;
  /** `undefined` for a client without a certificate. */
  readonly certificate: X509Certificate | undefined;
  readonly username: string | undefined;
}

/** Why a client was not let in: by what it said, by its certificate, or because it left. */
export class TlsRefusal extends Error {
  readonly reason: 'handshake' | 'certificate' | 'peer';

  constructor(reason: TlsRefusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What a socket of the runtime has for its own use: the one that it speaks TLS over. */
interface TlsSocketInside {
  readonly _parent?: Socket | null;
}

interface Waiting {
  resolve(socket: TLSSocket): void;
  reject(error: TlsRefusal): void;
}

/** How long a client may come back without a new proof of its certificate. New certificates of ours end it at once. */
const sessionSeconds = 300;

/**
 * Lets clients in over TLS. The connections are handed to a server of the runtime that listens nowhere, so that everything about
 * handshakes, tickets and chains of certificates is the runtime's.
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
    });
    this.#server.on('secureConnection', (socket) => this.#waiterOf(socket)?.resolve(socket));
    this.#server.on('tlsClientError', (error, socket) => this.#failed(error, socket));
    this.#forget = certificates.onChange(() => this.#server.setSecureContext(certificates.context));
  }

  close(): void {
    this.#forget();
  }

  /**
   * Speaks TLS on a connection of which nothing, or nothing but what was put back, has been read. Rejects with a `TlsRefusal`; the
   * connection is the caller's to close. How long it may take is up to the caller too.
   */
  async letIn(connection: Socket): Promise<SecuredClient> {
    if (connection.destroyed) throw new TlsRefusal('peer', 'the client left before the handshake');
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      this.#waiting.set(connection, { resolve, reject });
      this.#server.emit('connection', connection);
    });
    // What breaks is told by its end.
    socket.on('error', () => {});
    return this.#recognise(socket);
  }

  #recognise(socket: TLSSocket): SecuredClient {
    const { clientCertificates, nameOf, clock } = this.#options;
    const certificate = clientCertificates === 'ignored' ? undefined : socket.getPeerX509Certificate();
    if (certificate === undefined) {
      if (clientCertificates === 'required')
        throw new TlsRefusal('certificate', 'the client gave no certificate');
      return { socket, certificate, username: undefined };
    }
    if (!socket.authorized) throw unauthorized(socket);
    // Who comes back with a ticket is not asked for the certificate again.
    if (socket.isSessionReused() && certificate.validToDate.getTime() < clock.nowMs()) {
      throw new TlsRefusal(
        'certificate',
        'the certificate of the client has expired since it was first shown',
      );
    }
    const name = nameIn(certificate, nameOf);
    if ('problem' in name) throw new TlsRefusal('certificate', name.problem);
    return { socket, certificate, username: name.username };
  }

  /** Called for every connection that ends before it is secure. */
  #failed(error: NodeJS.ErrnoException, socket: TLSSocket): void {
    const hasLeft = error.code === 'ECONNRESET';
    this.#waiterOf(socket)?.reject(
      // The server breaks such a connection off by itself, and says no more than that it broke.
      socket.authorizationError
        ? unauthorized(socket)
        : new TlsRefusal(hasLeft ? 'peer' : 'handshake', error.message),
    );
  }

  #waiterOf(socket: TLSSocket): Waiting | undefined {
    const connection = (socket as unknown as TlsSocketInside)._parent;
    const waiting =
      connection === undefined || connection === null ? undefined : this.#waiting.get(connection);
    // A connection that nobody asked for, or that cannot be told from others, is nobody's.
    if (waiting === undefined) socket.destroy();
    return waiting;
  }
}

function unauthorized(socket: TLSSocket): TlsRefusal {
  return new TlsRefusal(
    'certificate',
    `the certificate of the client is not valid: ${socket.authorizationError}`,
  );
}

function nameIn(certificate: X509Certificate, nameOf: NameOfCertificate): ReturnType<NameOfCertificate> {
  try {
    return nameOf(certificateNames(certificate.raw));
  } catch (error) {
    return {
      problem: `the certificate of the client cannot be read: ${error instanceof Error ? error.message : error}`,
    };
  }
}
