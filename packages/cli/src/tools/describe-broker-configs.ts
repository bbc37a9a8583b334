import { describeConfigs, withCluster } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { configsTable } from './config-text.ts';
import { clusterOptions } from './connection.ts';

export const describeBrokerConfigsTool: Handler<'cli describe-broker-configs'> = async (values, deps) => {
  const configs = await withCluster(await clusterOptions(values, deps), (cluster) =>
    describeConfigs(cluster, { kind: 'brokers' }),
  );
  printResult(values, deps, { json: configs, text: () => configsTable(configs) });
  return 0;
};
