import type { X509Certificate } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock, Log, Metrics } from '@weir/core';
import { agentHttpConnections, type HttpListenerName } from '../connections/agent-http-connections.ts';
import { isHostMissing } from './http-answers.ts';
import {
  applyHttpDefaults,
  applyTlsDefaults,
  type CertificateSource,
  listen,
  serverLimits,
  socketDeadlineMs,
} from './http-defaults.ts';
import { Refusals } from './refusals.ts';
import { RouteTable } from './route-table.ts';

/**
 * Options of the agent's HTTP listener: probes, metrics and requests of other agents. A request that takes longer than
 * the socket deadline, in either direction, is cut off.
 */
interface HttpOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** Answers what no route takes; false if it is not its own either. */
  readonly answerRest?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** If absent, the listener is plain text. */
  readonly tls?: HttpTlsOptions;
  /** Its name in metrics; `http` if absent. */
  readonly name?: HttpListenerName;
  /** Connections before shares of addresses count. If absent, the limit of agents. */
  readonly connectionsMax?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface HttpTlsOptions {
  readonly certificates: CertificateSource;
  /** Returns what is wrong with the certificate of a caller. If absent, no client certificates are requested. */
  readonly problemOfCaller?: (certificate: X509Certificate) => string | undefined;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** As in a `RouteTable`. */
  readonly path: string;
  handle(request: IncomingMessage, response: ServerResponse, url: URL): void | Promise<void>;
}

interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}

export async function startHttpListener(options: HttpOptions): Promise<HttpListener> {
  const { host, port, log, name = 'http' } = options;
  const routes = new RouteTable(options.routes);
  const limits = { ...serverLimits, requestTimeout: socketDeadlineMs };
  const server =
    options.tls === undefined ? createServer(limits) : secureServer(limits, options.tls, options);
  const secure = applyHttpDefaults(server, options.tls !== undefined);
  const connections = agentHttpConnections(name, options);
  connections.attach(server);
  server.on('request', (request, response) =>
    connections.serve(request, response, () => void answer(request, response)),
  );
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    secure(response);
    if (isHostMissing(request)) {
      response.setHeader('connection', 'close');
      plain(response, 400, 'the request names no host');
      return;
    }
    const url = URL.parse(request.url ?? '/', 'http://agent');
    if (url === null) {
      plain(response, 400, 'the target of the request is not a path');
      return;
    }
    const atPath = routes.rowsAt(url.pathname);
    const route = atPath.find(({ method }) => method === request.method);
    try {
      if (route !== undefined) await route.handle(request, response, url);
      else if (atPath.length > 0) plain(response, 405, `${request.method} is not allowed here`);
      else if ((await options.answerRest?.(request, response)) !== true)
        plain(response, 404, `${url.pathname}: not found`);
    } catch (error) {
      log.error('failed to serve HTTP request', { path: url.pathname, error: String(error) });
      if (!response.headersSent) plain(response, 500, 'internal error');
      else response.destroy();
    }
  }
}

function secureServer(
  limits: ServerOptions,
  { certificates, problemOfCaller }: HttpTlsOptions,
  { clock, log }: Pick<HttpOptions, 'clock' | 'log'>,
): Server {
  const refusals = new Refusals(clock, log);
  const requiresCertificate = problemOfCaller !== undefined;
  const server = createSecureServer({
    ...limits,
    ...certificates.context,
    requestCert: requiresCertificate,
    rejectUnauthorized: requiresCertificate,
    handshakeTimeout: socketDeadlineMs,
  });
  function refuse(peer: string | undefined, problem: string): void {
    refusals.log('handshake', 'refused HTTP connection before its first request', { peer, error: problem });
  }
  applyTlsDefaults(server, certificates, ({ remoteAddress }, problem) => refuse(remoteAddress, problem));
  // Runs before the server itself handles the connection and reads from it.
  server.prependListener('secureConnection', (socket) => {
    if (problemOfCaller === undefined) return;
    const certificate = socket.getPeerX509Certificate();
    const problem =
      certificate === undefined || !socket.authorized
        ? 'the caller has no valid certificate'
        : problemOfCaller(certificate);
    if (problem === undefined) return;
    refuse(socket.remoteAddress, problem);
    socket.destroy();
  });
  return server;
}

export function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
