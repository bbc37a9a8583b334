import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@weir/api';
import { ClusterUnavailable } from '@weir/cluster';
import type { Log } from '@weir/core';
import type { Authorize, Verdict } from '../agent-keys.ts';
import { remoteAddressOf } from '../http/remote-address.ts';
import { type Handler, pathOf, routePath } from '../http/route-table.ts';
import { answerCatalog, type CatalogAnswer, type CatalogTables, catalogError } from './catalog-answers.ts';
import { grantedToken, readTokenRequest, tokenError } from './client-credentials.ts';

interface CatalogRouteOptions {
  readonly mayRead: Authorize;
  /** The tables of a cluster; `undefined` if it is no data lake cluster. */
  readonly tablesOf: (clusterId: string, stop: AbortSignal) => Promise<CatalogTables | undefined>;
  /** Whether a proxy in front writes `X-Forwarded-For`. */
  readonly isBehindProxy: boolean;
  readonly log: Log;
}

const retrySeconds = 5;

/** `/catalogs/iceberg/{id}/v1/…`: a read-only Iceberg REST catalog of a cluster, for holders of a key to it. */
export function catalogRoute(options: CatalogRouteOptions): Handler {
  return async (request, response) => {
    const stop = new AbortController();
    response.once('close', () => stop.abort(new Error('the client closed the request')));
    send(request, response, await answerTo(request, stop.signal, options));
  };
}

async function answerTo(
  request: IncomingMessage,
  stop: AbortSignal,
  options: CatalogRouteOptions,
): Promise<CatalogAnswer> {
  const { isBehindProxy, tablesOf, log } = options;
  const [clusterId = '', version, ...parts] = pathOf(request)
    .slice(routePath('icebergCatalog').length)
    .replace(/\/$/, '')
    .split('/');
  try {
    const address = remoteAddressOf(request, isBehindProxy);
    if (request.method === 'POST' && [version, ...parts].join('/') === tokensPath)
      return await answerTokenRequest(request, clusterId, address, options);
    const secret = bearer.exec(request.headers.authorization ?? '')?.[1];
    const mayRead = await mayReadBy(secret, clusterId, address, options);
    if (mayRead === undefined) return away('failed to verify the key; try again');
    if (!mayRead) return unknownKey;
    if (version !== 'v1')
      return catalogError(404, 'NotFoundException', 'not found: paths of the catalog begin with v1');
    const tables = await tablesOf(clusterId, stop);
    if (tables === undefined)
      return catalogError(404, 'NotFoundException', 'the cluster has no tables; only data lake clusters do');
    const query = new URL(request.url ?? '/', 'http://catalog').searchParams;
    return await answerCatalog({ method: request.method ?? 'GET', parts, query }, tables);
  } catch (error) {
    return failed(error, log);
  }
}

const tokensPath = 'v1/oauth/tokens';
const bearer = /^bearer ([!-~]{1,4096})$/i;

async function answerTokenRequest(
  request: IncomingMessage,
  clusterId: string,
  address: string,
  options: CatalogRouteOptions,
): Promise<CatalogAnswer> {
  const asked = await readTokenRequest(request);
  if (asked === undefined)
    return tokenError(400, 'invalid_request', 'the body is not a form of at most 16 KiB');
  const { grantType, secret } = asked;
  if (grantType !== 'client_credentials')
    return tokenError(400, 'unsupported_grant_type', 'the catalog knows the grant type client_credentials');
  const mayRead = await mayReadBy(secret, clusterId, address, options);
  if (mayRead === undefined) return away('failed to verify the key; try again');
  return mayRead
    ? grantedToken(secret!)
    : tokenError(
        401,
        'invalid_client',
        'the client secret is no application key, and no agent key of the cluster',
      );
}

/** A failed verification is not a refusal. */
async function mayReadBy(
  secret: string | undefined,
  clusterId: string,
  remoteAddress: string,
  { mayRead, log }: CatalogRouteOptions,
): Promise<Verdict> {
  if (secret === undefined) return false;
  try {
    return await mayRead(clusterId, secret, remoteAddress);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') throw error;
    log.warn('failed to verify key of catalog client', { error: (error as Error).message });
    return undefined;
  }
}

/** The same for a wrong key and for a cluster of another account, so that clusters stay unknown. */
const unknownKey = catalogError(
  401,
  'NotAuthorizedException',
  'invalid token: send Authorization: Bearer with an application key, or an agent key or agent token of the cluster',
  { 'www-authenticate': 'Bearer realm="catalog"' },
);

function away(message: string): CatalogAnswer {
  return catalogError(503, 'ServiceUnavailableException', message, { 'retry-after': String(retrySeconds) });
}

function failed(error: unknown, log: Log): CatalogAnswer {
  if (error instanceof ApiError) {
    const { code, message, retryAfterSeconds = retrySeconds } = error;
    if (code === 'not_found') return catalogError(404, 'NoSuchTableException', message);
    if (code === 'rate_limited' || code === 'too_many_queries')
      return catalogError(429, 'TooManyRequestsException', message, {
        'retry-after': String(retryAfterSeconds),
      });
    if (code !== 'internal') return away(message);
  }
  if (error instanceof ClusterUnavailable) return away('the cluster is not available just now');
  log.error('failed to serve Iceberg catalog', { error: String(error) });
  return catalogError(500, 'InternalServerError', 'internal error; see the log of the control plane');
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers }: CatalogAnswer,
): void {
  if (response.destroyed) return;
  // The body is not needed; the connection ends instead of reading it.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, {
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
