import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Clock, type Log, refuseUnreadable, securityHeaders } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { Refusals } from '../net/refusals.ts';
import type { KafkaTlsOptions } from '../security/tls/agent-tls.ts';
import { clientOf, TlsRefusal } from '../security/tls/tls-acceptor.ts';
import type { RegistryMetrics } from './registry-metrics.ts';

/** Answers a request, errors included. If it rejects, the connection ends. */
export type AnswerRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  /** The user of the client certificate. */
  certificateUser: string | undefined,
) => Promise<void>;

interface RegistryServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Called for the first request: what answers requests need not be loaded before. */
  readonly loadAnswer: () => Promise<AnswerRequest>;
  /** If absent, the server is plain text. */
  readonly tls?: Omit<KafkaTlsOptions, 'logsCertificates'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: RegistryMetrics;
}

export interface RegistryServer {
  readonly port: number;
  /** Accepts no more connections, finishes requests in flight, and closes; after `deadlineMs` it closes in any case. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** A request that makes no progress for this long is cut off. */
const socketDeadlineMs = 15_000;
/** Clients reuse connections; one that is idle for longer is closed. */
const keepAliveMs = 65_000;

/** Opens the port of the schema registry. Resolves when it is open. */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { host, port, clock, log, tls, metrics } = options;
  const headers = securityHeaders(tls !== undefined);
  const certificateUsers = new WeakMap<Socket, string>();
  let loading: Promise<AnswerRequest> | undefined;
  const server = tls === undefined ? createServer(serverLimits) : secureServer(options, certificateUsers);
  server.maxConnections = agentLimits.registryConnectionsMax;
  server.setTimeout(socketDeadlineMs);
  server.keepAliveTimeout = keepAliveMs;
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    metrics.connections.add(1);
    socket.once('close', () => metrics.connections.add(-1));
  });
  server.on('request', (request, response) => void answer(request, response));
  server.on('checkExpectation', (_request, response) => {
    secure(response);
    response.setHeader('connection', 'close');
    response.writeHead(417).end();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseUnreadable(error, socket, headers),
  );
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: ({ deadlineMs }) =>
      new Promise((resolve) => {
        const cancel = clock.after(deadlineMs, () => server.closeAllConnections());
        server.close(() => {
          cancel();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };

  function secure(response: ServerResponse): void {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    secure(response);
    loading ??= options.loadAnswer();
    let loaded: AnswerRequest;
    try {
      loaded = await loading;
    } catch (error) {
      // The next request tries again.
      loading = undefined;
      log.error('failed to load schema registry', { error: String(error) });
      response.setHeader('connection', 'close');
      response.writeHead(500).end();
      return;
    }
    try {
      await loaded(request, response, certificateUsers.get(request.socket));
    } catch (error) {
      log.error('failed to answer schema registry request', { error: String(error) });
      response.destroy();
    }
  }
}

const serverLimits = {
  requestTimeout: socketDeadlineMs * 2,
  headersTimeout: socketDeadlineMs,
  // Node.js would answer by itself, without the headers that every answer has.
  requireHostHeader: false,
  noDelay: true,
};

function secureServer(
  { tls, clock, log, metrics }: RegistryServerOptions,
  certificateUsers: WeakMap<Socket, string>,
): Server {
  const { certificates, clientCertificates, nameOf } = tls!;
  const refusals = new Refusals(clock, log);
  const server = createSecureServer({
    ...serverLimits,
    ...certificates.context,
    requestCert: clientCertificates !== 'ignored',
    rejectUnauthorized: clientCertificates === 'required',
    handshakeTimeout: socketDeadlineMs,
  });
  function refuse(socket: TLSSocket, problem: string): void {
    refusals.log('handshake', 'refused schema registry connection before its first request', {
      peer: socket.remoteAddress,
      problem,
    });
    socket.destroy();
  }
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const { authorizationError } = socket;
    // Port probes disconnect without a handshake; they are not logged.
    if (authorizationError || error.code !== 'ECONNRESET')
      refuse(socket, authorizationError ? String(authorizationError) : error.message);
    else socket.destroy();
  });
  // Runs before the server itself handles the connection and reads from it.
  server.prependListener('secureConnection', (socket) => {
    try {
      const { username } = clientOf(socket, { clientCertificates, nameOf, clock });
      if (username === undefined) return;
      certificateUsers.set(socket, username);
      metrics.authenticated('mtls', 'success');
    } catch (error) {
      if (!(error instanceof TlsRefusal)) throw error;
      metrics.authenticated('mtls', 'failure');
      refuse(socket, error.message);
    }
  });
  server.on(
    'close',
    certificates.onChange(() => server.setSecureContext(certificates.context)),
  );
  return server;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
