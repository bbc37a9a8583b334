import type { OutputOf } from '@weir/api';
import type { ClusterPort, ConfigChange, ConfigsToAlter } from '@weir/cluster';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

type Subscription = OutputOf<'describe_client_metrics_subscription'>['client_metrics_subscription'];

const codes = {
  INVALID_CONFIG: 'invalid_request',
  INVALID_REQUEST: 'invalid_request',
  POLICY_VIOLATION: 'limit_exceeded',
} as const;

export function clientMetricsOperations({ clusterPort }: ClusterServices) {
  return {
    list_client_metrics_subscriptions: async ({ virtual_cluster_id }) => {
      const port = clusterPort(virtual_cluster_id);
      const names = (await port.listConfigResources('clientMetrics')).sort(byText);
      const found = await subscriptions(port, names);
      return { subscriptions: found.filter((subscription) => subscription !== undefined) };
    },

    describe_client_metrics_subscription: async ({ virtual_cluster_id, name }) => {
      const [found] = await subscriptions(clusterPort(virtual_cluster_id), [name]);
      if (found === undefined) throw notThere([name]);
      return { client_metrics_subscription: found };
    },

    update_client_metrics_subscriptions: async ({ virtual_cluster_id, client_metrics_subscriptions }) => {
      const resources = client_metrics_subscriptions.map((given): ConfigsToAlter => {
        const { name, interval_ms, metrics, match } = given;
        const changes = [
          ...setting('interval.ms', interval_ms),
          ...setting('metrics', metrics),
          ...setting('match', match),
        ];
        return { kind: 'clientMetrics', name, replacesAll: true, changes };
      });
      await alterAll(clusterPort(virtual_cluster_id), resources);
      return {};
    },

    delete_client_metrics_subscriptions: async (input) => {
      const port = clusterPort(input.virtual_cluster_id);
      const names = [...new Set(input.client_metrics_subscription_names)];
      const found = await subscriptions(port, names);
      const missing = names.filter((_, index) => found[index] === undefined);
      if (missing.length > 0) throw notThere(missing);
      await alterAll(
        port,
        names.map((name) => ({ kind: 'clientMetrics', name, replacesAll: true, changes: [] })),
      );
      return {};
    },
  } satisfies SomeHandlers;
}

/** All of them or none: everything is validated before anything is changed. */
async function alterAll(port: ClusterPort, resources: readonly ConfigsToAlter[]): Promise<void> {
  for (const validateOnly of [true, false]) {
    for (const result of await port.alterConfigs(resources, { validateOnly })) refuse(result, codes);
  }
}

function setting(name: string, value: string | number | undefined): ConfigChange[] {
  return value === undefined ? [] : [{ name, operation: 'set', value: String(value) }];
}

/** In the order of the names; unknown names are skipped. */
async function subscriptions(
  port: ClusterPort,
  names: readonly string[],
): Promise<(Subscription | undefined)[]> {
  const all = await port.describeConfigs(names.map((name) => ({ kind: 'clientMetrics', name })));
  return all.map((configs, index) => {
    if (Object.keys(configs).length === 0) return undefined;
    const { 'interval.ms': intervalMs, metrics, match } = configs;
    return {
      name: names[index]!,
      ...(intervalMs === undefined ? {} : { interval_ms: Number(intervalMs) }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(match === undefined ? {} : { match }),
    };
  });
}

function notThere(names: readonly string[]): OperationFailed {
  return new OperationFailed('not_found', `Subscription ${names.join(', ')} not found.`);
}
