import { Failure } from '@weir/core';
import { apis, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { KafkaRequestFailed } from '../request-failed.ts';

/** A resource with configs: a topic, or all brokers together. */
export type ConfigResource = { readonly kind: 'topic'; readonly name: string } | { readonly kind: 'brokers' };

const topicType = 2;
const brokerType = 4;

/** Sources of a value, by their number in the protocol. */
const sources = [
  'unknown',
  'topic',
  'broker',
  'cluster',
  'static',
  'default',
  'logger',
  'client metrics',
  'group',
] as const;

const types = [
  'unknown',
  'boolean',
  'string',
  'int',
  'short',
  'long',
  'double',
  'list',
  'class',
  'password',
] as const;

export type ConfigSource = (typeof sources)[number];

export interface DescribedConfig {
  readonly name: string;
  /** Null when it is a secret, or has no value. */
  readonly value: string | null;
  readonly source: ConfigSource;
  readonly type: (typeof types)[number];
  readonly readOnly: boolean;
  readonly sensitive: boolean;
  /** All sources that set it; the effective one first. */
  readonly synonyms: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly source: ConfigSource;
  }[];
  readonly documentation: string | null;
}

/** The configs of a resource, by name. */
export function describeConfigs(
  cluster: KafkaCluster,
  resource: ConfigResource,
): Promise<readonly DescribedConfig[]> {
  return cluster.retrying(async () => {
    // Cluster-wide configs are part of the configs of each broker, and a broker describes only itself.
    const { connection, nodeId } = await controllerOf(cluster);
    const answer = await connection.request(
      apis.DescribeConfigs,
      {
        resources: [
          {
            resourceType: resource.kind === 'topic' ? topicType : brokerType,
            resourceName: resource.kind === 'topic' ? resource.name : String(nodeId),
            configurationKeys: null,
          },
        ],
        includeSynonyms: true,
        includeDocumentation: true,
      },
      { timeoutMs: cluster.timeoutMs },
    );
    const [result] = answer.results;
    const code = result?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code;
    if (result === undefined || code !== errors.NONE.code) {
      throw new KafkaRequestFailed(resourceInWords(resource), code, result?.errorMessage);
    }
    return result.configs
      .map((config) => ({
        name: config.name,
        value: config.value,
        source: sources[config.configSource] ?? 'unknown',
        type: types[config.configType] ?? 'unknown',
        readOnly: config.readOnly,
        sensitive: config.isSensitive,
        synonyms: config.synonyms.map(({ name, value, source }) => ({
          name,
          value,
          source: sources[source] ?? 'unknown',
        })),
        documentation: config.documentation,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** A config to set, or to reset to its default. */
export type ConfigChange =
  | { readonly name: string; readonly set: string }
  | { readonly name: string; readonly reset: true };

const setOperation = 0;
const deleteOperation = 1;

/** Changes configs of a resource atomically, and leaves the others unchanged. */
export async function changeConfigs(
  cluster: KafkaCluster,
  resource: ConfigResource,
  changes: readonly ConfigChange[],
): Promise<void> {
  await cluster.retrying(async () => {
    const { connection } = await controllerOf(cluster);
    const answer = await connection.request(
      apis.IncrementalAlterConfigs,
      {
        resources: [
          {
            resourceType: resource.kind === 'topic' ? topicType : brokerType,
            // The empty name means all brokers.
            resourceName: resource.kind === 'topic' ? resource.name : '',
            configs: changes.map((change) =>
              'set' in change
                ? { name: change.name, configOperation: setOperation, value: change.set }
                : { name: change.name, configOperation: deleteOperation, value: null },
            ),
          },
        ],
        validateOnly: false,
      },
      { timeoutMs: cluster.timeoutMs },
    );
    const [result] = answer.responses;
    const code = result?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code;
    if (code !== errors.NONE.code) {
      throw new KafkaRequestFailed(resourceInWords(resource), code, result?.errorMessage);
    }
  });
}

async function controllerOf(
  cluster: KafkaCluster,
): Promise<{ readonly connection: KafkaConnection; readonly nodeId: number }> {
  const { brokers, controllerId } = await cluster.metadata([]);
  const broker = brokers.find(({ nodeId }) => nodeId === controllerId) ?? brokers[0];
  if (broker === undefined) throw new Failure('the cluster lists no brokers');
  return { connection: await cluster.connectionTo(broker), nodeId: broker.nodeId };
}

function resourceInWords(resource: ConfigResource): string {
  return resource.kind === 'topic' ? `topic ${resource.name}` : 'configs of the cluster';
}
