import { bool } from '../../values/bool.ts';
import { httpHeaders } from '../../values/http-headers.ts';
import { list } from '../../values/list.ts';
import { durationMs, int, port } from '../../values/numbers.ts';
import { hostname, oneOf, text } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available, foreignVariable, planned } from '../row.ts';
import { brokers, clusterMembers, servers } from './takers.ts';

/** Agents push all of their own metrics; a process with a control plane also has metrics of whole clusters. */
const controlPlanePushes =
  'A control plane pushes the metrics of the clusters that it leads; run agents with -disablePublishMetricsJob then.';

export const observabilityFlags = [
  available({
    name: 'logLevel',
    type: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info',
    // A user reads the output of these commands in a terminal.
    defaultByCommand: { local: 'warn', playground: 'warn', demo: 'error' },
    commands: servers,
    help: 'The minimum log level.',
  }),
  available({
    name: 'enablePrometheusMetrics',
    type: bool(),
    default: true,
    commands: servers,
    help: 'Serve metrics at /metrics.',
  }),
  available({
    name: 'enableDatadogMetrics',
    type: bool(),
    default: false,
    commands: servers,
    help: 'Push metrics by DogStatsD.',
    rule: controlPlanePushes,
  }),
  foreignVariable({
    name: 'DD_AGENT_HOST',
    type: hostname(),
    commands: servers,
    help: 'The host to which DogStatsD metrics are pushed.',
  }),
  foreignVariable({
    name: 'DD_DOGSTATSD_PORT',
    type: port(),
    commands: servers,
    help: 'The UDP port of that host; default: 8125.',
  }),
  available({
    name: 'otlpMetricsURL',
    type: url(),
    commands: servers,
    help: 'Push metrics by OTLP over HTTP, as JSON, to this address.',
    rule: `The whole address, as in https://collector:4318/v1/metrics. ${controlPlanePushes}`,
  }),
  available({
    name: 'otlpMetricsHeaders',
    type: httpHeaders(),
    secret: true,
    commands: servers,
    help: 'HTTP headers of OTLP pushes, such as for authentication.',
    rule: 'Prefer the variable: other users of the machine can see flags.',
  }),
  available({
    name: 'metricsPushInterval',
    type: durationMs({ min: 1_000, max: 3_600_000 }),
    default: 30_000,
    commands: servers,
    help: 'How often metrics are pushed, by OTLP and by DogStatsD.',
  }),
  available({
    name: 'metricsNameNormalizer',
    type: bool(),
    default: true,
    commands: servers,
    help: 'Use a dot instead of an underscore after the prefix of pushed metrics.',
  }),
  planned({
    name: 'enableControlPlanePrometheusEndpoint',
    type: bool(),
    default: false,
    commands: clusterMembers,
    help: 'Scrape the metrics of a control plane that you run yourself.',
  }),
  available({
    name: 'disablePublishMetricsJob',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Do not publish cluster metrics on this agent; run weir metrics instead.',
    rule: 'Otherwise the agent with the role jobs and the smallest id publishes them. Set it on all agents or none.',
  }),
  available({
    name: 'disableConsumerGroupMetrics',
    type: bool(),
    default: false,
    commands: [...brokers, 'metrics', 'control-plane'],
    help: 'Publish no metrics about consumer groups.',
  }),
  available({
    name: 'disableConsumerGroupsMetricsTags',
    env: 'SERVICE_DISABLE_CONSUMER_GROUP_METRICS_TAGS',
    type: list(oneOf('partition', 'topic', 'consumer_group')),
    default: ['partition'],
    defaultByCommand: { metrics: [] },
    commands: [...brokers, 'metrics', 'control-plane'],
    help: 'The tags to omit from consumer group metrics; values are aggregated.',
    rule: 'An empty list keeps every tag.',
  }),
  available({
    name: 'kafkaHighCardinalityDistributionMetrics',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Publish the distribution metrics that have one series per topic.',
    rule: 'The bytes of a topic per Produce or Fetch request.',
  }),
  foreignVariable({
    name: 'SERVICE_MEMORY_LIMIT_MIB',
    type: int({ min: 64 }),
    commands: servers,
    help: 'The maximum heap size, in MiB.',
    rule: 'Default: 3GiB per CPU, at most three quarters of the memory of the machine or container, shared by -processes. Buffers are outside the heap and have their own limits. --max-old-space-size in NODE_OPTIONS takes precedence.',
  }),
  foreignVariable({
    name: 'POD_NAME',
    type: text('name'),
    commands: ['agent'],
    help: 'The Kubernetes pod of this agent, to find its zone.',
  }),
  foreignVariable({
    name: 'POD_NAMESPACE',
    type: text('name'),
    commands: ['agent'],
    help: 'The Kubernetes namespace of the pod.',
  }),
];
