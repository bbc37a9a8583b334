import { KafkaRequestFailed } from '@weir/client';
import { apis, errors } from '@weir/wire';
import type { SourceCluster } from './source-cluster.ts';

export interface SourceConfig {
  readonly name: string;
  readonly value: string;
}

/** The configs that a topic has of its own, or why they are not known. */
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

/** The configs that were set for topics themselves, without those that are defaults or secrets. */
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
      found.set(topic, { topic, configs: valuesOf(configs, (source) => source === setForTopic), problem });
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
  return valuesOf(result.configs, (source) => setForBrokers.has(source));
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

function valuesOf(
  configs: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly configSource: number;
    readonly isSensitive: boolean;
  }[],
  isWanted: (source: number) => boolean,
): readonly SourceConfig[] {
  return configs
    .filter(
      ({ configSource, isSensitive, value }) => isWanted(configSource) && !isSensitive && value !== null,
    )
    .map(({ name, value }) => ({ name, value: value! }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
