import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Log } from '@weir/core';
import {
  agentHttpConnections,
  applyHttpDefaults,
  applyTlsDefaults,
  listen,
  Refusals,
  serverLimits,
  socketDeadlineMs,
} from '@weir/http';
import type { KafkaTlsOptions } from '@weir/security';
import { clientOf, TlsRefusal } from '@weir/security';
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
  /** Connections before shares of addresses count. If absent, the limit of agents. */
  readonly connectionsMax?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: RegistryMetrics;
}

export interface RegistryServer {
  readonly port: number;
  /** Accepts no more connections, finishes requests in flight, and closes; after `deadlineMs` it closes in any case. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** Clients reuse connections; one that is idle for longer is closed. */
const keepAliveMs = 65_000;

/** Opens the port of the schema registry. Resolves when it is open. */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { host, port, clock, log, tls, metrics } = options;
  const certificateUsers = new WeakMap<Socket, string>();
  const connections = agentHttpConnections('registry', { ...options, metrics: metrics.metrics });
  let loading: Promise<AnswerRequest> | undefined;
  const server = tls === undefined ? createServer(limits) : secureServer(options, certificateUsers);
  const secure = applyHttpDefaults(server, tls !== undefined);
  server.keepAliveTimeout = keepAliveMs;
  connections.attach(server);
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    metrics.connections.add(1);
    socket.once('close', () => metrics.connections.add(-1));
  });
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    connections.serve(request, response, () => void answer(request, response));
  server.on('request', serve);
  // The body is asked for when it is read: not before the login, and not if it is too large.
  server.on('checkContinue', serve);
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

const limits = { ...serverLimits, requestTimeout: socketDeadlineMs * 2, noDelay: true };

function secureServer(
  { tls, clock, log, metrics }: RegistryServerOptions,
  certificateUsers: WeakMap<Socket, string>,
): Server {
  const { certificates, clientCertificates, nameOf } = tls!;
  const refusals = new Refusals(clock, log);
  const server = createSecureServer({
    ...limits,
    ...certificates.context,
    requestCert: clientCertificates !== 'ignored',
    rejectUnauthorized: clientCertificates === 'required',
    handshakeTimeout: socketDeadlineMs,
  });
  function refuse(socket: TLSSocket, problem: string): void {
    refusals.log('handshake', 'refused schema registry connection before its first request', {
      peer: socket.remoteAddress,
      error: problem,
    });
    socket.destroy();
  }
  applyTlsDefaults(server, certificates, refuse);
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
  return server;
}
