import {
  type AgentDescription,
  type ConfigSource,
  type DescribedConfig,
  describeConfigs,
} from '@weir/cluster';
import { configsOfBroker } from '../cluster/broker-configs.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';

type Texts = Readonly<Record<string, string>>;

/** Where the value of a config comes from, as the protocol numbers it. */
export const configSourceCode: Readonly<Record<ConfigSource, number>> = {
  topic: 1,
  broker: 2,
  cluster: 3,
  agent: 4,
  default: 5,
  clientMetrics: 7,
  group: 8,
};

/** What decides about configs that neither a topic nor the cluster sets. */
export interface ConfigsOfAgent {
  readonly self: () => AgentDescription;
  /** Values of flags, by the names of cluster configs. */
  readonly agentConfigs: Texts;
}

/** A config as the answer to CreateTopics has it. */
export type CreatedTopicConfig = ReturnType<typeof createdTopicConfig>;

function createdTopicConfig({ name, value, isReadOnly, source, isSensitive }: DescribedConfig) {
  return { name, value, readOnly: isReadOnly, configSource: configSourceCode[source], isSensitive };
}

/**
 * The configs that topics have, set or not. Most topics of a request set none, and share one list: a request may create
 * thousands of them.
 */
export class DescribedTopicConfigs {
  readonly #describe: (texts: Texts) => readonly CreatedTopicConfig[];
  #unset: readonly CreatedTopicConfig[] | undefined;

  constructor(cluster: ClusterView, { self, agentConfigs }: ConfigsOfAgent) {
    const [clusterTexts, brokerTexts] = [cluster.clusterConfigs(), configsOfBroker(cluster, self().nodeId)];
    this.#describe = (texts) =>
      describeConfigs('topic', {
        ...{ texts, clusterTexts, agentTexts: agentConfigs, brokerTexts, names: null },
      }).map(createdTopicConfig);
  }

  of(texts: Texts): readonly CreatedTopicConfig[] {
    if (Object.keys(texts).length > 0) return this.#describe(texts);
    this.#unset ??= this.#describe(texts);
    return this.#unset;
  }
}
