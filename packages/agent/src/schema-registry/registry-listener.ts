import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type Clock,
  isHostMissing,
  type Log,
  type Metrics,
  refuseUnreadable,
  securityHeaders,
} from '@weir/core';
import { RegistryError, type RegistryService } from '@weir/registry';
import { agentLimits } from '../limits.ts';
import { Refusals } from '../net/refusals.ts';
import type { Access } from '../security/access.ts';
import type { GuardedRequest } from '../security/acl/denial-log.ts';
import type { PrincipalOf } from '../security/principals.ts';
import { printable } from '../security/sasl/failure-log.ts';
import type { LoginChecks } from '../security/sasl/login-checks.ts';
import { bareAddress } from '../security/session/client-host.ts';
import { openSession } from '../security/session/client-session.ts';
import type { KafkaTlsOptions } from '../security/tls/agent-tls.ts';
import { clientOf, TlsRefusal } from '../security/tls/tls-acceptor.ts';
import { RegistryLogins } from './registry-logins.ts';
import { RegistryMetrics } from './registry-metrics.ts';
import { checkRights, checkRightsOfBody } from './registry-rights.ts';
import { withoutContextPath } from './request/context-path.ts';
import { HttpProblem } from './request/http-problem.ts';
import { type AnswerType, answerTypeFor, answerTypes } from './request/media-types.ts';
import { readQuery } from './request/query.ts';
import { overloaded, RequestBodies } from './request/request-bodies.ts';
import { targetOf } from './request/target.ts';
import { allowedOf, type MatchedRoute, RouteMatcher } from './routes/route-matcher.ts';
import { registryRoutes } from './routes/route-table.ts';
import { sendAnswer } from './send-answer.ts';

export interface RegistryListenerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The registry. It is called for every request, so that it may be loaded with the first one. */
  readonly service: () => RegistryService | Promise<RegistryService>;
  readonly checks: Pick<LoginChecks, 'passwords' | 'checkToken'>;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  readonly requiresLogin: boolean;
  readonly onPasswordLogin?: ((user: string) => void) | undefined;
  /** Whether every request is logged. */
  readonly logsRequests: boolean;
  /** If absent, the listener is plain text. */
  readonly tls?: Omit<KafkaTlsOptions, 'logsCertificates'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RegistryListener {
  readonly port: number;
  /** Accepts no more connections, finishes requests in flight, and closes; after `deadlineMs` it closes in any case. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** A request that makes no progress for this long is cut off. */
const socketDeadlineMs = 15_000;
/** Clients reuse connections; one that is idle for longer is closed. */
const keepAliveMs = 65_000;
const pathCharsLogged = 256;

const matcher = new RouteMatcher(registryRoutes);

/** What is known about a request when it ends, for the log and metrics. */
interface Exchange {
  operation: string;
  principal: string;
  status: number;
  answerBytes: number;
}

/** Serves the HTTP API of the schema registry. Resolves when the port is open. */
export async function startRegistryListener(options: RegistryListenerOptions): Promise<RegistryListener> {
  const { host, port, clock, log, tls } = options;
  const metrics = new RegistryMetrics(options.metrics);
  const logins = new RegistryLogins({ ...options, isRequired: options.requiresLogin, metrics });
  const bodies = new RequestBodies(clock);
  const headers = securityHeaders(tls !== undefined);
  const certificateUsers = new WeakMap<Socket, string>();
  let requestCount = 0;
  const server =
    tls === undefined ? createServer(serverLimits) : secureServer(options, certificateUsers, metrics);
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

  /** It never rejects. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begunMs = clock.monotonicMs();
    const exchange: Exchange = { operation: 'unknown', principal: '', status: 0, answerBytes: 0 };
    secure(response);
    requestCount++;
    try {
      await serve(request, response, exchange);
    } catch (error) {
      await sendError(request, response, exchange, error);
    } finally {
      requestCount--;
      ended(request, exchange, clock.monotonicMs() - begunMs);
    }
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
  ): Promise<void> {
    if (isHostMissing(request)) throw new HttpProblem(400, 'The request names no host.');
    if (requestCount > agentLimits.registryRequestsMax) throw overloaded();
    const { method = 'GET', headers, socket, url = '/' } = request;
    const target = withoutContextPath(targetOf(url));
    const matched = matchOf(method, target.segments);
    if (!(matched instanceof HttpProblem)) exchange.operation = matched.row.operation;
    const remoteAddress = bareAddress(socket.remoteAddress ?? '');
    const principal = await logins.principalOf({
      headers,
      remoteAddress,
      certificateUser: certificateUsers.get(socket),
    });
    exchange.principal = principal.name;
    if (matched instanceof HttpProblem) {
      const methods = method === 'OPTIONS' ? matcher.methodsOf(target.segments) : [];
      if (methods.length === 0) throw matched;
      response.setHeader('allow', allowedOf(methods));
      await send(request, response, exchange, 204, undefined);
      return;
    }
    const { row, path } = matched;
    const type = answerTypeFor(headers.accept);
    const query = readQuery(row.query ?? {}, target.query);
    const access = options.accessOf({
      registryOperation: row.operation,
      session: {
        ...openSession({ remoteAddress, remotePort: socket.remotePort ?? 0, isEncrypted: tls !== undefined }),
        principal,
      },
    });
    const service = await options.service();
    const isVisible = await checkRights({ row, path, query }, access, service);
    const body = row.body === undefined ? undefined : await bodyOf(request, row.operation);
    checkRightsOfBody(row, path, body, access);
    const output = await inTime(Promise.resolve(row.serve(service, { path, query, body, isVisible })));
    if (row.isRawText === true) await send(request, response, exchange, 200, output as string, type);
    else await send(request, response, exchange, output === undefined ? 204 : 200, output, type, 'json');
  }

  async function bodyOf(request: IncomingMessage, operation: string): Promise<unknown> {
    const { value, bytes } = await bodies.readJson(request);
    metrics.received(operation, bytes);
    if (value === undefined) throw new HttpProblem(400, 'The request needs a JSON body.');
    return value;
  }

  /** A change may still be made after its request has timed out. */
  function inTime<Output>(output: Promise<Output>): Promise<Output> {
    const { registryRequestMsMax } = agentLimits;
    return new Promise((resolve, reject) => {
      const late = () => reject(new RegistryError('timeout', `No answer within ${registryRequestMsMax} ms.`));
      const cancel = clock.after(registryRequestMsMax, late);
      output.finally(cancel).then(resolve, reject);
    });
  }

  async function send(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    status: number,
    output: unknown,
    type: AnswerType = answerTypes[0],
    form: 'json' | 'text' = 'text',
  ): Promise<void> {
    exchange.status = status;
    exchange.answerBytes = await sendAnswer({ request, response, status, type, output, form, clock });
  }

  async function sendError(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    thrown: unknown,
  ): Promise<void> {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const { status, errorCode, message, headers } = problemOf(thrown, exchange.operation);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    await send(
      request,
      response,
      exchange,
      status,
      { error_code: errorCode, message },
      errorTypeFor(request.headers.accept),
      'json',
    );
  }

  function problemOf(thrown: unknown, operation: string): HttpProblem {
    if (thrown instanceof HttpProblem) return thrown;
    if (thrown instanceof RegistryError)
      return new HttpProblem(Math.floor(thrown.code / 100), thrown.message, { errorCode: thrown.code });
    // The caller gets no details.
    const problem = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    log.error('failed to serve schema registry request', { operation, problem });
    return new HttpProblem(500, 'Internal server error.');
  }

  function ended({ method, url = '/' }: IncomingMessage, exchange: Exchange, ms: number): void {
    const { operation, principal, status, answerBytes } = exchange;
    metrics.answered(operation, status, ms / 1000, answerBytes);
    if (!options.logsRequests) return;
    log.info('finished schema registry request', {
      method,
      // Queries may contain values of metadata.
      path: printable(url.split('?', 1)[0]!.slice(0, pathCharsLogged), pathCharsLogged),
      operation,
      status,
      durationMs: Math.round(ms * 1000) / 1000,
      principal: principal === '' ? undefined : printable(principal),
    });
  }
}

function matchOf(method: string, segments: readonly string[]): MatchedRoute | HttpProblem {
  try {
    return matcher.match(method === 'HEAD' ? 'GET' : method, segments);
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
}

/** A client that accepts none of our types gets errors in the usual one. */
function errorTypeFor(accept: string | undefined): AnswerType {
  try {
    return answerTypeFor(accept);
  } catch {
    return answerTypes[0];
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
  { tls, clock, log }: RegistryListenerOptions,
  certificateUsers: WeakMap<Socket, string>,
  metrics: RegistryMetrics,
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
