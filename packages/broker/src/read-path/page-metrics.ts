import type { MetricRow, Metrics, Series } from '@weir/core';

export const pageRows = {
  /**
   * `local` is this agent: a hit is in its memory, a miss is a read of the bucket. `remote` is the keeper of the page.
   */
  pages: {
    name: 'agent_file_cache_client_fetch_local_or_remote_counter',
    kind: 'counter',
    help: 'Page requests, by source and outcome.',
    labels: ['outcome', 'source'],
  },
  bucketReads: {
    name: 'agent_file_cache_server_blob_store_fetcher_counter',
    kind: 'counter',
    help: 'Pages requested from the bucket, including those for other agents.',
    labels: ['outcome'],
  },
  bucketBytes: {
    name: 'agent_file_cache_server_blob_store_fetcher_num_bytes_counter',
    kind: 'counter',
    help: 'Bytes of pages read from the bucket.',
    labels: [],
  },
  readahead: {
    name: 'agent_file_cache_read_ahead_counter',
    kind: 'counter',
    help: 'Pages fetched by readahead.',
    labels: [],
  },
  cacheBytes: {
    name: 'agent_file_cache_bytes',
    kind: 'gauge',
    help: 'Bytes of cached pages.',
    labels: [],
  },
  sentRecords: {
    name: 'agent_kafka_fetch_records_counter',
    kind: 'counter',
    help: 'Records in the batches that were sent to consumers.',
    labels: [],
  },
  sentBytes: {
    name: 'agent_kafka_fetch_compressed_bytes_counter',
    kind: 'counter',
    help: 'Bytes of the batches that were sent to consumers, as stored.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;

export interface PageMetrics {
  readonly localHits: Series;
  readonly localMisses: Series;
  readonly remoteHits: Series;
  readonly remoteFailures: Series;
  readonly bucketReads: Series;
  readonly bucketFailures: Series;
  readonly bucketBytes: Series;
  readonly readahead: Series;
  readonly cacheBytes: Series;
  readonly sentRecords: Series;
  readonly sentBytes: Series;
}

export function pageMetrics(metrics: Metrics): PageMetrics {
  return {
    localHits: metrics.series(pageRows.pages, { outcome: 'hit', source: 'local' }),
    localMisses: metrics.series(pageRows.pages, { outcome: 'miss', source: 'local' }),
    remoteHits: metrics.series(pageRows.pages, { outcome: 'success', source: 'remote' }),
    remoteFailures: metrics.series(pageRows.pages, { outcome: 'failure', source: 'remote' }),
    bucketReads: metrics.series(pageRows.bucketReads, { outcome: 'success' }),
    bucketFailures: metrics.series(pageRows.bucketReads, { outcome: 'failure' }),
    bucketBytes: metrics.series(pageRows.bucketBytes, {}),
    readahead: metrics.series(pageRows.readahead, {}),
    cacheBytes: metrics.series(pageRows.cacheBytes, {}),
    sentRecords: metrics.series(pageRows.sentRecords, {}),
    sentBytes: metrics.series(pageRows.sentBytes, {}),
  };
}
