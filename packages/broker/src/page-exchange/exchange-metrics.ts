import { durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';
import type { PeerFailureReason } from './peer-failure.ts';

export const exchangeRows = {
  requested: {
    name: 'agent_file_cache_client_get_stream_range_outcome',
    kind: 'counter',
    help: 'Pages requested from other agents, by outcome.',
    labels: ['outcome'],
  },
  requestSeconds: {
    name: 'agent_file_cache_client_get_stream_range_latency',
    kind: 'histogram',
    help: 'Latency of page requests to other agents, in seconds.',
    labels: [],
    buckets: durationBucketsSeconds,
  },
  requestedBytes: {
    name: 'agent_file_cache_client_get_stream_range_num_bytes_count',
    kind: 'counter',
    help: 'Bytes of pages received from other agents.',
    labels: [],
  },
  avoided: {
    name: 'agent_file_cache_client_avoided_peers',
    kind: 'gauge',
    help: 'Agents of the zone avoided for page requests after failures.',
    labels: [],
  },
  served: {
    name: 'agent_file_cache_server_get_stream_range_outcome',
    kind: 'counter',
    help: 'Page requests of other agents, by outcome.',
    labels: ['outcome'],
  },
  servedSeconds: {
    name: 'agent_file_cache_server_get_stream_range_latency',
    kind: 'histogram',
    help: 'Seconds to serve a page request of another agent.',
    labels: [],
    buckets: durationBucketsSeconds,
  },
  servedBytes: {
    name: 'agent_file_cache_server_get_stream_range_num_bytes_count',
    kind: 'counter',
    help: 'Bytes of pages sent to other agents.',
    labels: [],
  },
  serving: {
    name: 'agent_file_cache_concurrent_fetches',
    kind: 'gauge',
    help: 'Page requests of other agents in progress.',
    labels: [],
  },
  tooMany: {
    name: 'agent_file_cache_too_many_concurrent_fetches',
    kind: 'counter',
    help: 'Page requests of other agents refused by the concurrency limit.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;

/** A `hit` was in memory and a `miss` was not; `cut` is an answer that its reader did not take in time. */
export type ServedOutcome =
  | 'hit'
  | 'miss'
  | 'missing'
  | 'unsigned'
  | 'malformed'
  | 'busy'
  | 'failure'
  | 'cut';

export interface PageRequestMetrics {
  readonly requested: (outcome: 'success' | PeerFailureReason) => Series;
  readonly requestSeconds: Series;
  readonly requestedBytes: Series;
  readonly avoided: Series;
}

export function pageRequestMetrics(metrics: Metrics): PageRequestMetrics {
  return {
    requested: (outcome) => metrics.series(exchangeRows.requested, { outcome }),
    requestSeconds: metrics.series(exchangeRows.requestSeconds, {}),
    requestedBytes: metrics.series(exchangeRows.requestedBytes, {}),
    avoided: metrics.series(exchangeRows.avoided, {}),
  };
}

interface ServeMetrics {
  readonly served: (outcome: ServedOutcome) => Series;
  readonly servedSeconds: Series;
  readonly servedBytes: Series;
  readonly serving: Series;
  readonly tooMany: Series;
}

export function serveMetrics(metrics: Metrics): ServeMetrics {
  return {
    served: (outcome) => metrics.series(exchangeRows.served, { outcome }),
    servedSeconds: metrics.series(exchangeRows.servedSeconds, {}),
    servedBytes: metrics.series(exchangeRows.servedBytes, {}),
    serving: metrics.series(exchangeRows.serving, {}),
    tooMany: metrics.series(exchangeRows.tooMany, {}),
  };
}
