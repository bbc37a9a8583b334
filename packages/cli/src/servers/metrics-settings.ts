import type { MetricsPushSettings } from '@weir/agent';
import type { ClusterMetricsSettings } from '@weir/cluster';
import type { CommandValues, FlagValues } from '../flags/catalogue.ts';

/** The settings of cluster-wide stats that come from flags. */
export function clusterMetricsSettings({
  disableConsumerGroupMetrics,
  disableConsumerGroupsMetricsTags,
}: Pick<
  FlagValues,
  'disableConsumerGroupMetrics' | 'disableConsumerGroupsMetricsTags'
>): ClusterMetricsSettings {
  return { includesGroups: !disableConsumerGroupMetrics, withoutTags: disableConsumerGroupsMetricsTags };
}

/** Where DogStatsD listens, unless the variables of its agent say otherwise. */
const usualDogstatsd = { host: 'localhost', port: 8125 };

/** The push settings that come from flags. */
export function metricsPushSettings(
  values: CommandValues<'agent' | 'metrics' | 'control-plane' | 'local'>,
): MetricsPushSettings {
  const { otlpMetricsURL: url, otlpMetricsHeaders = [], DD_AGENT_HOST, DD_DOGSTATSD_PORT } = values;
  return {
    otlp:
      url === undefined
        ? undefined
        : { url, headers: Object.fromEntries(otlpMetricsHeaders.map(({ name, value }) => [name, value])) },
    dogstatsd: values.enableDatadogMetrics
      ? {
          host: DD_AGENT_HOST ?? usualDogstatsd.host,
          port: DD_DOGSTATSD_PORT ?? usualDogstatsd.port,
        }
      : undefined,
    hasDottedNames: values.metricsNameNormalizer,
    intervalMs: values.metricsPushInterval,
  };
}
