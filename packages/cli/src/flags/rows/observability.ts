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
  'A control plane pushes the metrics of the clusters that it leads, so that agents need not publish it: run them with -disablePublishMetricsJob then.';

export const observabilityFlags = [
  available({
    name: 'logLevel',
    type: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info',
    // A user reads the output of these commands in a terminal.
    defaultByCommand: { local: 'warn', playground: 'warn', demo: 'error' },
    commands: servers,
    help: 'The least important log lines that are written.',
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
    help: 'The UDP port of that host, 8125 when not given.',
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
    help: 'Headers of those pushes, such as the one that admits them.',
    rule: 'Better set by the variable than by the flag, which other users of the machine can see.',
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
    help: 'Write a dot after the prefix of pushed metrics rather than an underscore.',
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
    help: 'Leave the publishing of cluster metrics to a process of its own.',
    rule: 'Otherwise the agent with the smallest id among those with the role jobs publishes them; so set it on all agents or on none.',
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
    help: 'The tags to leave out of consumer group metrics; values are combined over them.',
    rule: 'An empty list keeps every tag.',
  }),
  available({
    name: 'kafkaHighCardinalityDistributionMetrics',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Publish the distribution metrics that have one series per topic.',
    rule: 'They say how many bytes of a topic one Produce or Fetch carries.',
  }),
  foreignVariable({
    name: 'SERVICE_MEMORY_LIMIT_MIB',
    type: int({ min: 64 }),
    commands: servers,
    help: 'How large the heap of the runtime may become, in MiB.',
    rule: 'Without it 3GiB per processor, and at most three quarters of the memory of the machine or container. The processes of -processes share it. Buffers are not in the heap, and have limits of their own. --max-old-space-size in NODE_OPTIONS takes precedence.',
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
