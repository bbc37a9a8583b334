import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Log, Metrics } from '@weir/core';
import { HttpProblem, isOfForeignPage, plain, problemOf, type Route, socketDeadlineMs } from '@weir/http';
import type { GuardedRequest, LoginChecks, PasswordLogin, PrincipalOf } from '@weir/security';
import { type Access, bareAddress, HttpLogins, mayOnCluster, openSession, userOf } from '@weir/security';
import { countAnswer, httpDataRows } from '../http-data/data-metrics.ts';
import { sendProblem } from '../http-data/send-problem.ts';
import { gatewayLimits } from '../limits.ts';
import { debugRoutes } from './debug-routes.ts';
import { isOfThisMachine } from './this-machine.ts';

interface DebugEndpointsOptions {
  readonly checks: LoginChecks;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  /** Whether every caller must log in, also those on this machine. */
  readonly requiresLogin: boolean;
  readonly isEncrypted: boolean;
  readonly onPasswordLogin?: ((login: PasswordLogin) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

type DebugRoute = (typeof debugRoutes)[number];

/** What one request may take beside the time in which the connection must make progress. */
const spanMsMax = 1000 * Math.max(gatewayLimits.debugProfileSecondsMax, gatewayLimits.debugTraceSecondsMax);

/** Routes that answer 503 until there is something to answer with. */
export function debugRoutesOf(endpoints: () => DebugEndpoints | undefined): Route[] {
  return debugRoutes.map((route) => ({
    method: 'GET',
    path: route.path,
    async handle(request, response, url) {
      const found = endpoints();
      if (found === undefined) plain(response, 503, 'starting');
      else if (url.pathname !== route.path) plain(response, 404, `${url.pathname}: not found`);
      else await found.answer(route, request, response, url.searchParams);
    },
  }));
}

/** Profiles, traces and speed tests, for callers that may debug the agent. */
export class DebugEndpoints {
  readonly #options: DebugEndpointsOptions;
  readonly #logins: HttpLogins;

  constructor(options: DebugEndpointsOptions) {
    const { metrics } = options;
    this.#options = options;
    this.#logins = new HttpLogins({
      ...options,
      service: 'agent',
      isRequired: options.requiresLogin,
      onOutcome: (method, outcome) =>
        metrics.series(httpDataRows.authentications, { method, outcome }).add(1),
    });
  }

  /** Answers a request, errors included. */
  async answer(
    route: DebugRoute,
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): Promise<void> {
    const { clock, metrics, log } = this.#options;
    const begunMs = clock.monotonicMs();
    const left = new AbortController();
    response.once('close', () => left.abort());
    try {
      const principal = await this.#authorize(route, request);
      const { operation } = route;
      log.info('started debug request', { operation, principal, peer: request.socket.remoteAddress });
      // Nothing is sent while the agent is observed.
      request.socket.setTimeout(spanMsMax + socketDeadlineMs);
      await route.serve({ query, response, closed: left.signal, clock });
    } catch (error) {
      const { operation } = route;
      const onBug = (details: string) =>
        log.error('failed to serve debug request', { operation, error: details });
      sendProblem(request, response, problemOf(error, onBug));
    }
    const { statusCode } = response;
    countAnswer(metrics, route.operation, statusCode, (clock.monotonicMs() - begunMs) / 1000);
  }

  /** Returns the name of the principal. Throws an `HttpProblem` if it may not debug the agent. */
  async #authorize({ operation }: DebugRoute, { headers, socket }: IncomingMessage): Promise<string> {
    if (isOfForeignPage(headers)) throw new HttpProblem(403, 'The request is of a web page of another host.');
    const { accessOf, isEncrypted } = this.#options;
    const remoteAddress = bareAddress(socket.remoteAddress ?? '');
    const mustAuthenticate = !isOfThisMachine(remoteAddress, headers);
    const principal = await this.#logins.principalOf({
      headers,
      remoteAddress,
      certificateUser: undefined,
      mustAuthenticate,
    });
    const session = {
      ...openSession({ remoteAddress, remotePort: socket.remotePort ?? 0, isEncrypted }),
      user: userOf(principal),
      principal,
    };
    if (mayOnCluster(accessOf({ debugOperation: operation, session }), 'CLUSTER_ACTION'))
      return principal.name;
    throw new HttpProblem(
      403,
      'Debugging takes CLUSTER_ACTION on the cluster, which the caller does not have.',
    );
  }
}
