import { KafkaRequestFailed } from '@weir/client';
import { apis, errors } from '@weir/wire';
import type { SourceCluster } from './source-cluster.ts';

export interface SourceConfig {
  readonly name: string;
  readonly value: string;
  /** Whether the topic has it from its brokers, and not of its own. */
  readonly isInherited?: true;
}

/** The configs of a topic, with inherited ones that decide what readers find, or why they are not known. */
export interface TopicConfigs {
  readonly topic: string;
  readonly configs: readonly SourceConfig[];
  readonly problem: string | undefined;
}

const topicResource = 2;
const brokerResource = 4;
/** A value that was set for the topic itself, by the numbers of the protocol. */
const setForTopic = 1;
/** A value of one broker, of all brokers, or of a file of the broker. */
const setForBrokers: ReadonlySet<number> = new Set([2, 3, 4]);
const topicsPerRequest = 200;

/**
 * They decide which records readers find, and brokers of Kafka have other defaults: a copy that inherited them here
 * would lose records that the source keeps.
 */
const keptWhenInherited: ReadonlySet<string> = new Set([
  'cleanup.policy',
  'max.message.bytes',
  'message.timestamp.type',
  'retention.bytes',
  'retention.ms',
]);

/** The configs of topics, without secrets, and without defaults except those that decide what readers find. */
export async function topicConfigs(
  source: SourceCluster,
  topics: readonly string[],
): Promise<readonly TopicConfigs[]> {
  const found = new Map<string, TopicConfigs>();
  for (let at = 0; at < topics.length; at += topicsPerRequest) {
    const some = topics.slice(at, at + topicsPerRequest);
    const results = await described(
      source,
      some.map((name) => ({ resourceType: topicResource, resourceName: name })),
    );
    for (const { resourceName: topic, errorCode, errorMessage, configs } of results) {
      const problem =
        errorCode === errors.NONE.code
          ? undefined
          : new KafkaRequestFailed(`topic ${topic}`, errorCode, errorMessage).message;
      const own = valuesOf(configs, ({ configSource }) => configSource === setForTopic);
      const inherited = valuesOf(
        configs,
        ({ name, configSource }) => configSource !== setForTopic && keptWhenInherited.has(name),
      ).map((config) => ({ ...config, isInherited: true as const }));
      found.set(topic, { topic, configs: [...own, ...inherited], problem });
    }
  }
  return topics.map(
    (topic) =>
      found.get(topic) ?? { topic, configs: [], problem: `topic ${topic}: the source does not answer` },
  );
}

/** The configs that were set for the brokers of the source. */
export async function brokerConfigs(source: SourceCluster): Promise<readonly SourceConfig[]> {
  const { brokers, controllerId } = await source.metadata([]);
  const broker = brokers.find(({ nodeId }) => nodeId === controllerId) ?? brokers[0];
  if (broker === undefined) return [];
  const resource = { resourceType: brokerResource, resourceName: String(broker.nodeId) };
  const [result] = await described(source, [resource], broker.nodeId);
  if (result === undefined || result.errorCode !== errors.NONE.code)
    throw new KafkaRequestFailed(
      'configs of the source',
      result?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code,
      result?.errorMessage,
    );
  return valuesOf(result.configs, ({ configSource }) => setForBrokers.has(configSource));
}

async function described(
  source: SourceCluster,
  resources: readonly { readonly resourceType: number; readonly resourceName: string }[],
  brokerId?: number,
) {
  const { asks } = source;
  return asks.retrying(async () => {
    const connection =
      brokerId === undefined ? await asks.bootstrap() : await source.connectionTo(brokerId, 'asks');
    const { results } = await connection.request(
      apis.DescribeConfigs,
      {
        resources: resources.map((resource) => ({ ...resource, configurationKeys: null })),
        includeSynonyms: false,
        includeDocumentation: false,
      },
      { timeoutMs: asks.timeoutMs },
    );
    return results;
  });
}

interface Described {
  readonly name: string;
  readonly value: string | null;
  readonly configSource: number;
  readonly isSensitive: boolean;
}

function valuesOf(
  configs: readonly Described[],
  isWanted: (config: Described) => boolean,
): readonly SourceConfig[] {
  return configs
    .filter((config) => isWanted(config) && !config.isSensitive && config.value !== null)
    .map(({ name, value }) => ({ name, value: value! }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
