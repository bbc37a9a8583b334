import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { Log, MetricRow } from '@weir/core';
import { browserSessionOf } from '../api-server/session-cookie.ts';
import { remoteAddressOf } from '../http/remote-address.ts';
import type { Handler } from '../http/route-table.ts';
import { identifierIn, loginUrlOf } from '../http/sign-in-paths.ts';
import { controlPlaneLimits } from '../limits.ts';
import { pendingCookieOf } from './pending-cookie.ts';
import { SignInAudit } from './sign-in-audit.ts';
import { SignInFlow } from './sign-in-flow.ts';
import type { SignInOptions } from './sign-in-options.ts';
import { forgettable, sendProblemPage } from './sign-in-page.ts';
import type { Visit } from './visit.ts';

/** The deadline of a sign-in. Connections that are silent for 30 s are closed. */
const signInMsMax = 20_000;

export const signInsRow: MetricRow<'outcome'> = {
  name: 'sso_sign_ins_total',
  kind: 'counter',
  help: 'Sign-ins with an identity provider that have ended, by `ok` or the code of the error.',
  labels: ['outcome'],
};

/**
 * `GET /login/sso/<identifier>?return_to=…` sends a browser to the identity provider, and `GET /login/callback` signs
 * in the user whom it sends back. Failures are shown on a page and audited.
 */
export function signInRoute(options: SignInOptions): Handler {
  const { publicUrl, clock, log, metrics, isBehindProxy = false } = options;
  const audit = new SignInAudit(options.accounts, log);
  const flow = new SignInFlow(options, audit);
  let runningCount = 0;

  function visitOf(request: IncomingMessage, response: ServerResponse, stop: AbortSignal): Visit {
    const isSecure = publicUrl().startsWith('https:');
    const url = new URL(request.url ?? '/', 'http://own.invalid');
    return {
      path: url.pathname,
      query: url.searchParams,
      remoteAddress: remoteAddressOf(request, isBehindProxy),
      userAgent: (request.headers['user-agent'] ?? '').slice(0, controlPlaneLimits.userAgentCharsMax),
      browser: browserSessionOf(request, response, { isSecure, clock }),
      pending: pendingCookieOf(request, response, { isSecure }),
      connection: undefined,
      email: undefined,
      stop,
    };
  }

  /** Returns where the browser goes. */
  async function destination(visit: Visit): Promise<string> {
    const identifier = identifierIn(visit.path);
    return identifier === undefined ? flow.finish(visit) : flow.begin(visit, identifier);
  }

  function count(visit: Visit, outcome: string): void {
    // A sign-in that only began ends later, or never.
    if (outcome !== 'ok' || identifierIn(visit.path) === undefined)
      metrics.series(signInsRow, { outcome }).add(1);
  }

  async function failed(visit: Visit, response: ServerResponse, thrown: unknown): Promise<void> {
    const error = thrown instanceof ApiError ? thrown : mistake(thrown, log);
    count(visit, error.code);
    await audit.refused(visit, error);
    if (error.isRetriable) response.setHeader('retry-after', error.retryAfterSeconds ?? 1);
    if (error.code === 'method_not_allowed') response.setHeader('allow', 'GET');
    const again = visit.connection === undefined ? undefined : loginUrlOf(publicUrl(), visit.connection);
    sendProblemPage(response, error.status, error.message, { again, home: flow.home() });
  }

  return async (request, response) => {
    const stop = new AbortController();
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(signInMsMax, () => {
      stop.abort();
      late.reject(new ApiError('unavailable', 'The identity provider did not respond in time; try again.'));
    });
    response.once('close', () => stop.abort());
    // The body is not needed; the connection ends instead of reading it.
    if (request.method !== 'GET') response.setHeader('connection', 'close');
    const visit = visitOf(request, response, stop.signal);
    runningCount++;
    try {
      if (request.method !== 'GET')
        throw new ApiError('method_not_allowed', 'Open the address in a browser.');
      if (runningCount > controlPlaneLimits.ssoSignInsRunningMax) throw new ApiError('unavailable');
      const location = await Promise.race([destination(visit), late.promise]);
      count(visit, 'ok');
      forgettable(response);
      response.writeHead(303, { location, 'content-length': 0 }).end();
    } catch (error) {
      await failed(visit, response, error);
    } finally {
      runningCount--;
      cancel();
    }
  };
}

/** An internal error: it is logged, and the user gets no details. */
function mistake(thrown: unknown, log: Log): ApiError {
  const problem = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  log.error('failed to sign in', { error: problem.slice(0, apiLimits.apiTextCharsMax) });
  return new ApiError('internal', undefined, { cause: thrown });
}
