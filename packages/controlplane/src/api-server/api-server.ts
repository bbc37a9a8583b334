import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ApiError,
  apiPath,
  catalogue,
  type ErrorCode,
  isOperationName,
  methodsOf,
  type Operation,
  type OperationName,
  operationNames,
  printJson,
  readInput,
  readQuery,
} from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { type Clock, type Log, type Metrics, nearestName } from '@weir/core';
import type { AuditChange } from '../accounts/audit/audit-log.ts';
import type { AuditRead } from '../accounts/audit/audit-read.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { remoteAddressOf } from '../http/remote-address.ts';
import { pathOf, type RouteHandlers } from '../http/route-table.ts';
import { controlPlaneLimits } from '../limits.ts';
import type { BrowserSession } from '../operations/call-context.ts';
import type { SomeHandlers } from '../operations/handler.ts';
import type { TokenKeys } from '../workload-identity/token-keys.ts';
import { ApiMetrics } from './api-metrics.ts';
import { AuditTrail, auditActorOf, isRecorded } from './audit-trail.ts';
import type { Permit } from './authorize.ts';
import { type Caller, callerOf } from './caller.ts';
import { originOf } from './own-origin.ts';
import { pageAt } from './pages.ts';
import { operationPerformer } from './perform-operation.ts';
import { RateLimits, usualRateLimits } from './rate-limits.ts';
import { isJson, publicBody, RequestBodies, usualBody } from './request-body.ts';
import { browserSessionOf } from './session-cookie.ts';

export interface ApiServerOptions {
  readonly accounts: AccountsDatabase;
  readonly handlers: SomeHandlers;
  /** Verifies tokens of workload identities. */
  readonly tokenKeys?: TokenKeys | undefined;
  /** Where browsers reach the control plane. With `https:`, cookies are sent over HTTPS only. */
  readonly publicUrl: () => string;
  /** Whether a proxy in front writes `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean;
  /** Shared with all other users of the rate limits. */
  readonly limits?: RateLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Answers every request whose path begins with `/api/v1/`. It never rejects. */
type ApiServer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The handlers of all routes below `/api/v1/` that the API server answers. */
export function apiHandlers(api: ApiServer): RouteHandlers {
  return { api, openApi: api, apiDocs: api };
}

const userAgentOf = ({ headers }: IncomingMessage) =>
  (headers['user-agent'] ?? '').slice(0, controlPlaneLimits.userAgentCharsMax);

/** What the server learns about a call while it runs. */
interface Call {
  readonly operation: Operation<OperationName>;
  readonly request: IncomingMessage;
  readonly browser: BrowserSession;
  readonly remoteAddress: string;
  readonly stop: AbortSignal;
  caller?: Caller;
  input?: Readonly<Record<string, unknown>>;
  permit?: Permit;
  /** The workspace of the call. */
  workspaceId?: string | undefined;
  output?: unknown;
  /** What the operation has changed. */
  readonly changes: AuditChange[];
  /** The records that it has read. */
  read?: AuditRead;
  /** Whether the call got far enough to be audited. */
  isAudited: boolean;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { accounts, handlers, tokenKeys, publicUrl, clock, log, isBehindProxy = false } = options;
  const limits = options.limits ?? new RateLimits(usualRateLimits, clock);
  const bodies = new RequestBodies({ clock, metrics: options.metrics });
  const audit = new AuditTrail(accounts, log);
  const metrics = new ApiMetrics(options.metrics, clock);
  const performOperation = operationPerformer({ accounts, handlers, clock, log });
  let runningCount = 0;

  return async (request, response) => {
    const begunMs = clock.monotonicMs();
    const page = pageAt(request);
    if (page !== undefined) return page(response);
    const stop = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) stop.abort(new ApiError('context_canceled'));
    });
    runningCount++;
    let name = 'unknown';
    let error: ApiError | undefined;
    try {
      if (runningCount > controlPlaneLimits.apiCallsRunningMax) throw new ApiError('unavailable');
      const operation = operationOf(request, handlers);
      name = operation.name;
      const output = await answerOf(operation, request, response, stop.signal);
      send(request, response, 200, printJson(output));
    } catch (thrown) {
      error = thrown instanceof ApiError ? thrown : mistake(thrown, name, log);
      sendError(request, response, error);
    } finally {
      runningCount--;
      metrics.count(name, error?.code ?? 'ok', begunMs);
    }
  };

  async function answerOf(
    operation: Operation<OperationName>,
    request: IncomingMessage,
    response: ServerResponse,
    stop: AbortSignal,
  ): Promise<unknown> {
    const isSecure = publicUrl().startsWith('https:');
    const call: Call = {
      operation,
      request,
      browser: browserSessionOf(request, response, { isSecure, clock }),
      remoteAddress: remoteAddressOf(request, isBehindProxy),
      stop,
      isAudited: false,
      changes: [],
    };
    try {
      await perform(call);
      await record(call, undefined);
      return call.output;
    } catch (thrown) {
      const error = thrown instanceof ApiError ? thrown : mistake(thrown, operation.name, log);
      await record(call, error);
      throw error;
    }
  }

  async function perform(call: Call): Promise<void> {
    const { operation, request, browser, remoteAddress } = call;
    if (operation.scope !== 'public') {
      call.caller = await callerOf(request.headers, browser, remoteAddress, { accounts, tokenKeys, limits });
      call.isAudited = true;
    }
    refuseForeignPages(call);
    call.input = await inputOf(call);
    const putBack = countGuess(call);
    call.isAudited = true;
    try {
      call.output = await performOperation({
        operation,
        input: call.input,
        caller: call.caller,
        browser,
        remoteAddress,
        userAgent: userAgentOf(request),
        stop: call.stop,
        onPermit: (permit) => {
          call.permit = permit;
          call.workspaceId = permit.workspaceId;
        },
        happensIn: (workspaceId) => {
          call.workspaceId = workspaceId;
        },
        onChanged: (changes) => call.changes.push(...changes),
        onRead: (read) => {
          call.read = read;
        },
      });
      putBack('succeeded');
    } catch (error) {
      if (!isWrongGuess(error)) putBack('not decided');
      throw error;
    }
  }

  /** Browsers attach cookies to requests of any page; keys they do not. */
  function refuseForeignPages({ operation, caller, request }: Call): void {
    const isByCookie = caller?.signedIn !== undefined;
    if (operation.access === 'read' || !(isByCookie || operation.scope === 'public')) return;
    const origin = originOf(request.headers, publicUrl());
    if (origin === 'foreign' || (isByCookie && origin === 'none'))
      throw new ApiError(
        'forbidden',
        `A session works with the header Origin: ${URL.parse(publicUrl())?.origin ?? publicUrl()}, which browsers send from pages of this service.`,
      );
    if (isByCookie && !isJson(request.headers)) throw new ApiError('unsupported_media_type');
  }

  async function inputOf({ operation: { name, scope }, request }: Call) {
    if (request.method === 'GET') return readInput(name, readQuery(name, queryOf(request)));
    return readInput(name, await bodies.readJson(request, scope === 'public' ? publicBody : usualBody));
  }

  function countGuess({
    operation,
    caller,
    input,
    remoteAddress,
  }: Call): ReturnType<RateLimits['countAttempt']> {
    if (operation.isGuessable !== true) return () => {};
    const email = typeof input?.email === 'string' ? input.email.trim().toLowerCase() : undefined;
    return limits.countAttempt(remoteAddress, caller?.actors[0].actor.id ?? email);
  }

  async function record(call: Call, error: ApiError | undefined): Promise<void> {
    const { operation, caller, permit, input, output, changes, read, remoteAddress, request } = call;
    if (!call.isAudited || !isRecorded(operation, input, error)) return;
    await audit.record({
      via: 'api',
      operation,
      accountId: caller?.accountId ?? '',
      actor: auditActorOf(caller, permit),
      remoteAddress,
      userAgent: userAgentOf(request),
      workspaceId: call.workspaceId,
      input,
      output,
      changes,
      read,
      result: error?.code ?? 'ok',
      message: error?.message,
    });
  }
}

const wrongGuesses: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_credentials',
  'invalid_kafka_credential',
  'invalid_token',
]);

function isWrongGuess(error: unknown): boolean {
  return error instanceof ApiError && wrongGuesses.has(error.code);
}

/** Returns the operation that a path names. */
function operationOf(request: IncomingMessage, handlers: SomeHandlers): Operation<OperationName> {
  const name = pathOf(request).slice(apiPath.length + 1);
  if (!isOperationName(name) || handlers[name] === undefined) {
    const served = operationNames.filter((known) => handlers[known] !== undefined);
    const nearest = nearestName(name, served);
    const hint =
      nearest === undefined ? `GET ${apiPath}/openapi.json lists them` : `did you mean "${nearest}"?`;
    throw new ApiError('not_found', `Operation ${JSON.stringify(name.slice(0, 128))} not found; ${hint}`);
  }
  const operation: Operation<OperationName> = catalogue[name];
  const methods: readonly string[] = methodsOf(operation);
  if (!methods.includes(request.method ?? '')) throw new ApiError('method_not_allowed');
  return operation;
}

function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at));
}

/** An internal error: it is logged, and the caller gets no details. */
function mistake(thrown: unknown, operation: string, log: Log): ApiError {
  const problem = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  log.error('failed to run operation', { operation, error: problem.slice(0, apiLimits.apiTextCharsMax) });
  return new ApiError('internal', undefined, { cause: thrown });
}

function sendError(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  if (error.code === 'method_not_allowed') response.setHeader('allow', 'GET, POST');
  if (error.isRetriable) response.setHeader('retry-after', error.retryAfterSeconds ?? 1);
  send(request, response, error.status, printJson(error.envelope));
}

function send(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  // The unread rest of the body ends with the connection.
  if (!request.complete) response.setHeader('connection', 'close');
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(status).end(text);
}
