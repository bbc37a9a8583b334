import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@weir/api';
import { ClusterUnavailable } from '@weir/cluster';
import { type Clock, type Log, type MetricRow, type Metrics, SemaphoreFull } from '@weir/core';
import type { Authorize, Verdict } from '../agent-keys.ts';
import { remoteAddressOf } from '../http/remote-address.ts';
import { type Handler, pathOf, routePath } from '../http/route-table.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import { basicCredentials } from './basic-credentials.ts';
import type { HostedText } from './hosted-text.ts';

export interface PrometheusRouteOptions {
  readonly mayRead: Authorize;
  readonly textOf: (clusterId: string) => Promise<HostedText>;
  /** Whether a proxy in front writes `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The username of all scrapers. */
const scraper = 'prometheus';

/** The deadline of a scrape. Scrapers and the connection time out after half a minute. */
const answerMsMax = 20_000;
const retrySeconds = 5;

export const scrapesRow: MetricRow<'status'> = {
  name: 'hosted_metrics_scrapes_total',
  kind: 'counter',
  help: 'Scrapes of the metrics of clusters, by HTTP status.',
  labels: ['status'],
};

interface Answer {
  readonly status: 200 | 401 | 405 | 429 | 500 | 503;
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `GET /api/v1/monitoring/prometheus/virtual_clusters/{id}`: the metrics of a cluster, for holders of a key to it. */
export function prometheusRoute(options: PrometheusRouteOptions): Handler {
  const { isBehindProxy = false, metrics } = options;
  return async (request, response) => {
    const { status, body, headers = {} } = await answerTo(request, isBehindProxy, options);
    metrics.series(scrapesRow, { status: String(status) }).add(1);
    send(request, response, { status, body, headers });
  };
}

async function answerTo(
  request: IncomingMessage,
  isBehindProxy: boolean,
  options: PrometheusRouteOptions,
): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, body: 'GET only\n', headers: { allow: 'GET, HEAD' } };
  try {
    const clusterId = clusterIdIn(request);
    const address = remoteAddressOf(request, isBehindProxy);
    const mayRead = await mayReadBy(request.headers.authorization, clusterId, address, options);
    if (mayRead === undefined) return away('failed to verify the key; try again');
    if (!mayRead) return refused;
    return await metricsAnswer(request, await withinTime(options.textOf(clusterId), options.clock));
  } catch (error) {
    return failed(error, options.log);
  }
}

/** Not validated: no key is valid for a text that is not an id. */
function clusterIdIn(request: IncomingMessage): string {
  return pathOf(request).slice(routePath('clusterMetrics').length);
}

/** A failed verification is not a refusal. */
async function mayReadBy(
  header: string | undefined,
  clusterId: string,
  remoteAddress: string,
  { mayRead, log }: PrometheusRouteOptions,
): Promise<Verdict> {
  const credentials = basicCredentials(header);
  if (credentials?.user !== scraper) return false;
  try {
    return await mayRead(clusterId, credentials.password, remoteAddress);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') throw error;
    log.warn('failed to verify key of scraper', { error: (error as Error).message });
    return undefined;
  }
}

/**
 * The same for a wrong key and for a cluster of another account, so that the answer does not reveal which clusters
 * exist.
 */
const refused: Answer = {
  status: 401,
  body: `invalid username/password: the user is ${scraper}, the password an application key, or an agent key or agent token of the cluster\n`,
  headers: { 'www-authenticate': 'Basic realm="metrics", charset="UTF-8"' },
};

function away(why: string): Answer {
  return { status: 503, body: `${why}\n`, headers: { 'retry-after': String(retrySeconds) } };
}

async function metricsAnswer({ headers }: IncomingMessage, text: HostedText): Promise<Answer> {
  const isGzipped = acceptsGzip([headers['accept-encoding'] ?? []].flat().join());
  return {
    status: 200,
    body: isGzipped ? await text.gzipped() : text.plain,
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      vary: 'accept-encoding',
      ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
    },
  };
}

async function withinTime(text: Promise<HostedText>, clock: Clock): Promise<HostedText> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(answerMsMax, () =>
    reject(new ClusterUnavailable('the cluster takes too long to measure')),
  );
  try {
    return await Promise.race([text, late]);
  } finally {
    cancel();
  }
}

function failed(error: unknown, log: Log): Answer {
  if (error instanceof ApiError && error.code === 'rate_limited') {
    const headers = { 'retry-after': String(error.retryAfterSeconds ?? retrySeconds) };
    return { status: 429, body: 'too many wrong keys, or too many calls\n', headers };
  }
  if (error instanceof ClusterUnavailable) return away('the cluster is not available just now');
  if (error instanceof SemaphoreFull) return away('too much is measured at the moment');
  log.error('failed to serve cluster metrics', { error: String(error) });
  return { status: 500, body: 'this is a mistake of ours; the log has more\n' };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers }: Required<Answer>,
): void {
  if (response.destroyed) return;
  // The body is not needed; the connection ends instead of reading it.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    ...headers,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
