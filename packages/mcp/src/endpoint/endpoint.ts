import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  type LegacyHttpHandler,
  type McpServer,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { ApiError, printJson } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { brokenBound, type Clock, type Log, type Metrics } from '@weir/core';
import { mcpLimits } from '../limits.ts';
import { mcpRequestsRow } from './metric-rows.ts';
import { isFromOwnSite } from './own-site.ts';
import { bodyTextOf } from './read-body.ts';
import { sendWebResponse, webRequestOf } from './web-exchange.ts';

export interface EndpointOptions<Who> {
  /** Its name in metrics. */
  readonly name: string;
  /** Returns the authenticated sender of the request; throws an `ApiError`. */
  readonly whoOf: (request: IncomingMessage) => Promise<Who>;
  /** Returns a server for one request. */
  readonly serverFor: (who: Who) => McpServer | Server;
  /**
   * Answers requests of the 2025 revisions in place of such servers. Tools that query the client need state between
   * requests there, which has to be bounded and bound to the caller in `authInfo`.
   */
  readonly legacy?: LegacyHttpHandler;
  /** Where browsers reach the service. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One HTTP endpoint of the protocol. */
export interface Endpoint {
  /** Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Notifies clients that subscribe to changes of the lists. */
  readonly changes: ServerNotifier;
  close(): Promise<void>;
}

/** A periodic comment keeps streams open. Connections that are silent for 30 s are closed. */
const keepAliveMs = 10_000;

const jsonType = /^application\/json[\t ]*(?:;|$)/i;

/**
 * Serves the protocol in all revisions that its library supports, without state between requests: each request is
 * authenticated and gets its own server.
 */
export function createEndpoint<Who extends object>(options: EndpointOptions<Who>): Endpoint {
  const { name, whoOf, serverFor, legacy, publicUrl, clock, log, metrics } = options;
  let runningCount = 0;
  const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo!.extra!.who as Who), {
    keepAliveMs,
    maxSubscriptions: mcpLimits.mcpSubscriptionsMax,
    maxRequestBodySize: mcpLimits.mcpRequestBytesMax,
    onerror: (error) => log.debug('refused MCP request', problemOf(error)),
  });
  return { answer, changes: handler.notify, close: () => handler.close() };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    runningCount++;
    try {
      if (runningCount > mcpLimits.mcpRequestsRunningMax) throw new ApiError('unavailable');
      await serve(request, response);
    } catch (thrown) {
      sendError(request, response, thrown instanceof ApiError ? thrown : mistake(thrown));
    } finally {
      runningCount--;
      metrics.series(mcpRequestsRow, { endpoint: name, status: String(response.statusCode) }).add(1);
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') throw new ApiError('method_not_allowed', 'Messages are sent with POST.');
    const localAddress = request.socket.localAddress ?? '';
    if (!isFromOwnSite(request.headers, { publicUrl: publicUrl(), localAddress }))
      throw new ApiError(
        'forbidden',
        'Requests from pages of other sites are refused; programs must not send an Origin header.',
      );
    const who = await whoOf(request);
    if (!jsonType.test(request.headers['content-type'] ?? '')) throw new ApiError('unsupported_media_type');
    const text = await bodyTextOf(request, clock);
    refuseEndless(text);
    const stop = new AbortController();
    const leave = () => {
      if (!response.writableFinished) stop.abort();
    };
    response.once('close', leave);
    try {
      const parsed = parsedOf(text);
      if (parsed === undefined) return send(response, 400, notJson);
      const webRequest = webRequestOf(request, stop.signal);
      const given = {
        parsedBody: parsed.body,
        authInfo: { token: '', clientId: '', scopes: [], extra: { who } },
      };
      const found =
        legacy !== undefined && (await isLegacyRequest(webRequest, parsed.body))
          ? await legacy(webRequest, given)
          : await handler.fetch(webRequest, given);
      if (!response.destroyed) await sendWebResponse(found, response);
    } finally {
      response.off('close', leave);
    }
  }

  /** An internal error: it is logged, and the caller gets no details. */
  function mistake(thrown: unknown): ApiError {
    log.error('failed to serve MCP request', { endpoint: name, ...problemOf(thrown) });
    return new ApiError('internal', undefined, { cause: thrown });
  }
}

const notJson =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body is not JSON"}}';

const bounds = { depthMax: mcpLimits.mcpRequestDepthMax, valuesMax: mcpLimits.mcpRequestValuesMax };

/** Before parsing: an endpoint without keys gets requests from anywhere. */
function refuseEndless(text: string): void {
  if (brokenBound(text, bounds) === undefined) return;
  const { depthMax, valuesMax } = bounds;
  throw new ApiError(
    'payload_too_large',
    `A message has at most ${valuesMax} values, and ${depthMax} lists and objects within each other.`,
  );
}

function parsedOf(text: string): { readonly body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

export function problemOf(thrown: unknown): { readonly problem: string } {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { problem: text.slice(0, apiLimits.apiTextCharsMax) };
}

function sendError(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.code === 'method_not_allowed') response.setHeader('allow', 'POST');
  if (error.isRetriable) response.setHeader('retry-after', error.retryAfterSeconds ?? 1);
  // The unread rest of the body ends with the connection.
  if (!request.complete) response.setHeader('connection', 'close');
  send(response, error.status, printJson(error.envelope));
}

function send(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(status).end(text);
}
