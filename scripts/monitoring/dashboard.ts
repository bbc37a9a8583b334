/** A question that the dashboard answers, as a panel. */
interface Panel {
  readonly title: string;
  readonly unit: 'Bps' | 's' | 'short' | 'percentunit' | 'bytes' | 'reqps';
  /** By legend, which may name labels. */
  readonly queries: Readonly<Record<string, string>>;
}

const rate = (metric: string) => `sum(rate(${metric}[$__rate_interval]))`;
const rateBy = (label: string, metric: string) => `sum by (${label}) (rate(${metric}[$__rate_interval]))`;
const p99 = (metric: string) =>
  `histogram_quantile(0.99, sum by (le) (rate(${metric}_bucket[$__rate_interval])))`;

export const panels: readonly Panel[] = [
  {
    title: 'Throughput',
    unit: 'Bps',
    queries: {
      produced: rate('service_agent_kafka_produce_compressed_bytes_counter'),
      fetched: rate('service_agent_kafka_fetch_compressed_bytes_counter'),
    },
  },
  {
    title: 'Latency of requests, 99th percentile',
    unit: 's',
    queries: {
      '{{kafka_key}}':
        'histogram_quantile(0.99, sum by (le, kafka_key) (rate(service_agent_kafka_request_latency_bucket[$__rate_interval])))',
    },
  },
  {
    title: 'Where a write spends its time, 99th percentile',
    unit: 's',
    queries: {
      'waiting for more records': p99('service_agent_segment_batcher_flush_new_file_duration'),
      upload: p99('service_agent_segment_batcher_flush_write_to_duration'),
      commit: p99('service_agent_segment_batcher_flush_put_file_duration'),
    },
  },
  {
    title: 'Produce requests',
    unit: 'reqps',
    queries: { '{{outcome}}': rateBy('outcome', 'service_agent_produce_outcome') },
  },
  {
    title: 'Requests to the object store, by outcome',
    unit: 'reqps',
    queries: {
      '{{operation}} {{outcome}}': rateBy('operation, outcome', 'service_blob_store_operation_latency_count'),
    },
  },
  {
    title: 'Requests that the object store bills',
    unit: 'reqps',
    queries: { '{{kind}}': rateBy('kind', 'service_blob_store_requests_total') },
  },
  {
    title: 'Pages by their source',
    unit: 'reqps',
    queries: {
      '{{source}} {{outcome}}': rateBy(
        'source, outcome',
        'service_agent_file_cache_client_fetch_local_or_remote_counter',
      ),
    },
  },
  {
    title: 'Lag of consumer groups, in records',
    unit: 'short',
    queries: { '{{consumer_group}}': 'topk(10, sum by (consumer_group) (service_consumer_group_lag))' },
  },
  { title: 'Load of agents', unit: 'percentunit', queries: { 'agent {{agent}}': 'service_agent_cpu' } },
  {
    title: 'Load of the leader',
    unit: 'percentunit',
    queries: { '{{cluster}}': 'service_control_plane_utilization' },
  },
  {
    title: 'Journal, 99th percentile',
    unit: 's',
    queries: { append: p99('service_journal_append_seconds') },
  },
  {
    title: 'Age of the metadata backup',
    unit: 's',
    queries: { '{{cluster}}': 'service_metadata_backup_age_seconds' },
  },
  {
    title: 'Memory of processes',
    unit: 'bytes',
    queries: {
      'resident {{instance}}': 'service_resident_memory_bytes',
      'heap {{instance}}': 'service_heap_used_bytes',
      'buffers {{instance}}': 'service_buffer_bytes',
    },
  },
  {
    title: 'Back-pressure and quotas',
    unit: 'reqps',
    queries: {
      '{{backpressure_source}}': rateBy('backpressure_source', 'service_agent_produce_backpressure_count'),
      'quota {{quota}}': rateBy('quota', 'service_agent_client_quota_throttle_count'),
    },
  },
  {
    title: 'Files',
    unit: 'short',
    queries: {
      'level {{level}}': 'sum by (level) (service_files_count)',
      'not deleted yet': 'service_dead_files_count',
    },
  },
  {
    title: 'Diagnostics that fail',
    unit: 'short',
    queries: { '{{diagnostic_name}}': 'service_diagnostic_failure == 1' },
  },
];

const widthUnits = 12;
const heightUnits = 8;

/**
 * The panels as a dashboard for Grafana. Its reader chooses the data source, so that imports and provisioned files are
 * the same.
 */
export function dashboardFile(): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana fills in what its reader chose.
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  const dashboard = {
    uid: 'weir',
    title: 'Weir',
    description: 'Written by scripts/docs.ts from scripts/monitoring/dashboard.ts.',
    schemaVersion: 39,
    time: { from: 'now-3h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels: panels.map(({ title, unit, queries }, at) => ({
      id: at + 1,
      type: 'timeseries',
      title,
      datasource,
      gridPos: {
        x: (at % 2) * widthUnits,
        y: Math.floor(at / 2) * heightUnits,
        w: widthUnits,
        h: heightUnits,
      },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], query) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + query),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
