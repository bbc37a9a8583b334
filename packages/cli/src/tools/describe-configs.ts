import { type ConfigResource, type DescribedConfig, describeConfigs } from '@weir/client';
import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { type ConnectionValues, onCluster } from './connection.ts';

export const describeTopicConfigsTool: Handler<'cli describe-topic-configs'> = (values, deps) =>
  describe({ kind: 'topic', name: values.topic! }, values, deps);

export const describeBrokerConfigsTool: Handler<'cli describe-broker-configs'> = (values, deps) =>
  describe({ kind: 'brokers' }, values, deps);

async function describe(
  resource: ConfigResource,
  values: ConnectionValues & Pick<FlagValues, 'output'>,
  deps: Deps,
): Promise<number> {
  const configs = await onCluster(values, deps, (cluster) => describeConfigs(cluster, resource));
  return printResult(values, deps, { json: configs, text: () => configsTable(configs) });
}

/** Configs as a table; JSON has all details. */
function configsTable(configs: readonly DescribedConfig[]): string {
  return table(
    ['CONFIG', 'VALUE', 'SOURCE', 'CHANGEABLE'],
    configs.map(({ name, value, sensitive, source, readOnly }) => [
      name,
      sensitive ? '(secret)' : (value ?? '(none)'),
      source,
      readOnly ? 'no' : 'yes',
    ]),
  );
}
