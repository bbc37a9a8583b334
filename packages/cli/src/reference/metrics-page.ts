import { agentMetricRows } from '@weir/agent';
import { clusterLimits } from '@weir/cluster/limits';
import { hostedMetricRows } from '@weir/controlplane';
import { controlPlaneLimits } from '@weir/controlplane/limits';
import { controlPlaneMetricRows } from '@weir/controlplane/metric-rows';
import type { MetricRow } from '@weir/core';

/** The reference page of metrics, as Markdown. */
export function metricsPage(): string {
  return `${introduction}

## Of a cluster

${tableOf(hostedMetricRows)}

## Of an agent

${tableOf(agentMetricRows)}

## Of a control plane

What one process counts, without login at \`/metrics\` of its port. With \`-bucketURL\` it also has the metrics of its requests to the
bucket, which are among those of an agent (\`blob_store_…\`, \`circuit_breaker_…\`).

${tableOf(controlPlaneMetricRows)}

${missingMetrics}
`;
}

const introduction = `# Metrics

<!-- Written by scripts/docs.ts from the rows of the metrics. Change the rows, not this page. -->

| where | what |
|---|---|
| \`GET /metrics\` of an agent | what the agent counts; one agent, the one with the role \`jobs\` and the smallest id, publishes those of the cluster too |
| \`GET /metrics\` of \`weir metrics\` | metrics of its cluster; agents then run with \`-disablePublishMetricsJob\` |
| \`GET /metrics\` of a control plane | what the process counts |
| \`GET /api/v1/monitoring/prometheus/virtual_clusters/{id}\` of a control plane | metrics of the cluster, from its leader in any process |
| \`-otlpMetricsURL\`, \`-enableDatadogMetrics\` | the same pushed: by an agent, and by \`local\`, \`playground\` and \`demo\`, all its metrics, by a control plane those of the clusters that it leads |

The address of the control plane asks for HTTP Basic. The user is \`prometheus\`, the password an application key of the workspace, or an agent key or an agent token of the cluster; all of them
may be read-only. All other callers get 401, whether the cluster exists or not. It answers 503 with \`Retry-After\` while the cluster has no leader, and the same text to all callers
within ten seconds.

\`\`\`yaml
scrape_configs:
  - job_name: weir
    scrape_interval: 30s
    scrape_timeout: 30s
    metrics_path: /api/v1/monitoring/prometheus/virtual_clusters/vci_…
    basic_auth: { username: prometheus, password_file: /etc/prometheus/weir-key }
    static_configs: [{ targets: ['control-plane:8090'] }]
\`\`\`

Names have the prefix \`service_\`, except those of tables (\`tableflow_…\`); pushed, \`service.\` unless \`SERVICE_METRICS_NAME_NORMALIZER=false\`. Every series has \`agent_version\`, that of the publishing process unless
it is about another agent. Metrics of a control plane have \`virtual_cluster_id\`; what is pushed has \`virtual_cluster_id\`, \`agent_id\`, \`agent_version\` and \`agent_group\`.

The tags \`topic\`, \`consumer_group\` and \`partition\` can be switched off (\`-disableConsumerGroupsMetricsTags\`), and \`partition\` is unless \`weir metrics\` publishes it. Values that no tag
distinguishes any more are summed; offsets, ages and times are the largest, \`min_offset\` the smallest.

A control plane publishes at most ${controlPlaneLimits.hostedSeriesMax.toLocaleString('en-US')} series of a cluster, those of topics last, and every publisher ${clusterLimits.publishedGroupsMax.toLocaleString('en-US')} groups, the first by name.
\`service_cluster_metrics_left_out\` says what is missing.`;

const missingMetrics = `## What is missing

\`partition_size_uncompressed_bytes\` is missing because it is unknown. A batch says how large it is as it was sent, and not what it becomes: of the codecs only snappy always writes
that down, clients that stream lz4 or zstd do not, and what is written down is the client's word. To know it, agents would have to decompress every batch that they pass on
as it is, at one to three milliseconds per MiB, which is twenty to seventy times the checksum that they look at now; and leaders would keep eight bytes more for each of
their pointers, which have 28, since retention has to take off what it removes. A guess under that name would be taken for a measurement.
\`partition_size_estimated_compressed_bytes\` is what clients sent, to the byte. \`agent_kafka_produce_uncompressed_bytes_counter\` takes compressed batches for a quarter of their
records, and says that it is an estimate.`;

function tableOf(rows: readonly MetricRow[]): string {
  const lines = rows
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, kind, labels, help }) => {
      const tags = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${kind} | ${tags} | ${help.replace(/\.$/, '')} |`;
    });
  return ['| name | type | tags | |', '|---|---|---|---|', ...lines].join('\n');
}
