/** The tools that change configs: of a topic or of the whole cluster, to a value or back to the default. */

import {
  type ConfigChange,
  type ConfigResource,
  changeConfigs,
  describeConfigs,
  type KafkaCluster,
} from '@weir/client';
import { Failure, nearestName } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { type ConnectionValues, onCluster } from './connection.ts';

export const alterTopicConfigsTool: Handler<'cli alter-topic-configs'> = (values, deps) =>
  change({ kind: 'topic', name: values.topic! }, settings(values.config), values, deps);

export const alterBrokerConfigsTool: Handler<'cli alter-broker-configs'> = (values, deps) =>
  change({ kind: 'brokers' }, settings(values.config), values, deps);

export const deleteTopicConfigTool: Handler<'cli delete-topic-config'> = (values, deps) =>
  change(
    { kind: 'topic', name: values.topic! },
    [{ name: values['config-name']!, reset: true }],
    values,
    deps,
  );

export const deleteBrokerConfigTool: Handler<'cli delete-broker-config'> = (values, deps) =>
  change({ kind: 'brokers' }, [{ name: values['config-name']!, reset: true }], values, deps);

function settings(configs: FlagValues['config']): readonly ConfigChange[] {
  return configs.map(({ name, value }) => ({ name, set: value }));
}

async function change(
  resource: ConfigResource,
  changes: readonly ConfigChange[],
  values: ConnectionValues & Pick<FlagValues, 'output'>,
  deps: Deps,
): Promise<number> {
  await onCluster(values, deps, async (cluster) => {
    await refuseUnknown(cluster, resource, changes);
    await changeConfigs(cluster, resource, changes);
  });
  const done = changes.map((one) => ({ config: one.name, value: 'set' in one ? one.set : null }));
  return printResult(values, deps, {
    json: done,
    text: () =>
      table(
        ['CONFIG', 'VALUE'],
        done.map(({ config, value }) => [config, value ?? '(default)']),
      ),
  });
}

/**
 * Rejects unknown configs. Brokers accept a change of a config that they do not know, and a user who mistyped the name
 * would believe it.
 */
async function refuseUnknown(
  cluster: KafkaCluster,
  resource: ConfigResource,
  changes: readonly ConfigChange[],
): Promise<void> {
  const known = (await describeConfigs(cluster, resource)).map(({ name }) => name);
  const unknown = changes.find(({ name }) => !known.includes(name))?.name;
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw new Failure(`unknown config ${unknown}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`);
}
