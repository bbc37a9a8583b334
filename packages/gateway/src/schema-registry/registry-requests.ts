import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Log } from '@weir/core';
import type { OwnNames } from '@weir/http';
import {
  addressKey,
  allowedOf,
  FairShare,
  HttpProblem,
  isHostMissing,
  problemOf,
  RouteTable,
  refusePages,
  targetOf,
} from '@weir/http';
import { RegistryError, type RegistryService } from '@weir/registry';
import type { Access, GuardedRequest, HttpLogins } from '@weir/security';
import { anonymous, bareAddress, printable } from '@weir/security';
import { gatewayLimits } from '../limits.ts';
import type { RegistryMetrics } from './registry-metrics.ts';
import { checkRights, checkRightsOfBody, deletableSubjects } from './registry-rights.ts';
import type { AnswerRequest } from './registry-server.ts';
import { withoutContextPath } from './request/context-path.ts';
import { type AnswerType, answerTypeFor, answerTypes } from './request/media-types.ts';
import { readQuery } from './request/query.ts';
import { overloaded, RequestBodies } from './request/request-bodies.ts';
import { registryRoutes } from './routes/route-table.ts';
import { sendAnswer } from './send-answer.ts';

interface RegistryRequestsOptions {
  /** The registry, once it can answer. */
  readonly service: () => Promise<RegistryService>;
  readonly logins: HttpLogins;
  readonly accessOf: (request: GuardedRequest) => Access;
  /** Whether every request is logged. */
  readonly logsRequests: boolean;
  readonly isEncrypted: boolean;
  readonly ownNames: OwnNames;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: RegistryMetrics;
}

const pathCharsLogged = 256;

const table = new RouteTable(registryRoutes);

/** What is known about a request when it ends, for the log and metrics. */
interface Exchange {
  operation: string;
  principal: string;
  status: number;
  answerBytes: number;
  /** With whom it shares places and memory. */
  client: string;
  /** Gives back what it took of them. */
  readonly releases: (() => void)[];
}

/** Answers the requests of the HTTP API of the schema registry. */
export function registryRequests(options: RegistryRequestsOptions): AnswerRequest {
  const { logins, clock, log, metrics, isEncrypted } = options;
  const bodies = new RequestBodies(clock);
  const places = new FairShare(gatewayLimits.registryRequestsMax);
  const answerMemory = new FairShare(gatewayLimits.registryAnswersBytesMax);
  return answer;

  /** It never rejects. */
  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    certificateUser: string | undefined,
  ): Promise<void> {
    const begunMs = clock.monotonicMs();
    const exchange: Exchange = {
      operation: 'unknown',
      principal: '',
      status: 0,
      answerBytes: 0,
      client: '',
      releases: [],
    };
    try {
      await serve(request, response, exchange, certificateUser);
    } catch (error) {
      await sendError(request, response, exchange, error);
    } finally {
      for (const release of exchange.releases) release();
      ended(request, exchange, clock.monotonicMs() - begunMs);
    }
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    certificateUser: string | undefined,
  ): Promise<void> {
    if (isHostMissing(request)) throw new HttpProblem(400, 'The request has no Host header.');
    const { method = 'GET', headers, socket, url = '/' } = request;
    const target = withoutContextPath(targetOf(url));
    const matched = table.match(method === 'HEAD' ? 'GET' : method, target.segments);
    if (!(matched instanceof HttpProblem)) exchange.operation = matched.row.operation;
    const hasLogin = headers.authorization !== undefined || certificateUser !== undefined;
    refusePages(headers, { hasLogin, ownNames: options.ownNames });
    const remoteAddress = bareAddress(socket.remoteAddress ?? '');
    const principal = await logins.principalOf({ headers, remoteAddress, certificateUser });
    exchange.principal = principal.name;
    // Not before the login: those whose passwords wait to be checked must not keep others out.
    const client = principal === anonymous ? addressKey(remoteAddress) : principal.name;
    exchange.client = client;
    if (!places.take(client, 1)) throw overloaded();
    exchange.releases.push(() => places.giveBack(client, 1));
    if (matched instanceof HttpProblem) {
      const methods = method === 'OPTIONS' ? table.methodsOf(target.segments) : [];
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
      session: { remoteAddress, remotePort: socket.remotePort ?? 0, isEncrypted, user: undefined, principal },
    });
    const service = await options.service();
    const isAllowed = await checkRights({ row, path, query }, access, service);
    const body = row.body === undefined ? undefined : await bodyOf(request, response, exchange);
    checkRightsOfBody(row, path, body, access);
    const input = { path, query, body, isAllowed, isDeletable: deletableSubjects(access) };
    const output = await whileAwaited(response, async (signal) =>
      row.serve(service.forCaller({ client, signal }), input),
    );
    if (row.isRawText === true) await send(request, response, exchange, 200, output as string, type);
    else {
      const status = row.status ?? (output === undefined ? 204 : 200);
      await send(request, response, exchange, status, output, type, 'json');
    }
  }

  async function bodyOf(
    request: IncomingMessage,
    response: ServerResponse,
    { operation, client, releases }: Exchange,
  ): Promise<unknown> {
    const { value, bytes, release } = await bodies.readJson(request, response, client);
    releases.push(release);
    metrics.received(operation, bytes);
    if (value === undefined) throw new HttpProblem(400, 'The request needs a JSON body.');
    return value;
  }

  /** Ends work whose answer is too late, or whose client has gone. A change that is being committed is still made. */
  async function whileAwaited<Output>(
    response: ServerResponse,
    work: (signal: AbortSignal) => Promise<Output>,
  ): Promise<Output> {
    const { registryRequestMsMax } = gatewayLimits;
    const given = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const giveUp = () => given.abort();
    const cancel = clock.after(registryRequestMsMax, () => {
      reject(new RegistryError('timeout', `No response within ${registryRequestMsMax} ms.`));
      giveUp();
    });
    response.once('close', giveUp);
    if (response.destroyed) giveUp();
    try {
      return await Promise.race([work(given.signal), late]);
    } finally {
      cancel();
      response.off('close', giveUp);
    }
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
    let heldBytes = 0;
    const { client, releases } = exchange;
    // Of a list, one piece at a time is in memory.
    const hold = (bytes: number) => {
      const more = bytes - heldBytes;
      if (more <= 0) return;
      if (!answerMemory.take(client, more)) throw overloaded();
      heldBytes += more;
      releases.push(() => answerMemory.giveBack(client, more));
    };
    exchange.status = status;
    exchange.answerBytes = await sendAnswer({ request, response, status, type, output, form, hold, clock });
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
    const { status, errorCode, message, headers } = registryProblem(thrown, exchange.operation);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const output = { error_code: errorCode, message };
    const type = errorTypeFor(request.headers.accept);
    try {
      await send(request, response, exchange, status, output, type, 'json');
    } catch {
      // There is no memory for a long message.
      response.destroy();
    }
  }

  function registryProblem(thrown: unknown, operation: string): HttpProblem {
    if (thrown instanceof RegistryError)
      return new HttpProblem(thrown.status, thrown.message, { errorCode: thrown.code });
    return problemOf(thrown, (details) =>
      log.error('failed to serve schema registry request', { operation, error: details }),
    );
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

/** A client that accepts none of our types gets errors in the usual one. */
function errorTypeFor(accept: string | undefined): AnswerType {
  try {
    return answerTypeFor(accept);
  } catch {
    return answerTypes[0];
  }
}
