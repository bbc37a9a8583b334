import { type ClusterConfigName, clusterConfigs } from './cluster-configs.ts';
import type { ConfigRow, ValueOf } from './config-row.ts';
import { type TopicConfigName, topicConfigs } from './topic-configs.ts';

/** What was set, by canonical name. Only checked values get here. */
export type ConfigTexts = Readonly<Record<string, string>>;

/** Where a value comes from. DescribeConfigs tells it. */
export type ConfigSource = 'topic' | 'cluster' | 'default';

export interface ConfigReading {
  readonly text: string;
  readonly source: ConfigSource;
}

type ClusterConfigs = typeof clusterConfigs;
type TopicConfigs = typeof topicConfigs;

/** A value is certain where a row has a default, its own or the cluster's; elsewhere somebody else decides when nothing is set. */
type ClusterValue<Name extends ClusterConfigName> =
  | ValueOf<ClusterConfigs[Name]>
  | (ClusterConfigs[Name] extends { readonly default: string } ? never : undefined);

type TopicValue<Name extends TopicConfigName> =
  | ValueOf<TopicConfigs[Name]>
  | (TopicConfigs[Name] extends { readonly default: string }
      ? never
      : TopicConfigs[Name] extends { readonly synonym: infer Synonym extends ClusterConfigName }
        ? ClusterConfigs[Synonym] extends { readonly default: string }
          ? never
          : undefined
        : undefined);

/** The text that counts for the cluster and where it comes from; `undefined` when nothing is set and there is no default. */
export function readClusterConfig(
  name: ClusterConfigName,
  clusterTexts: ConfigTexts,
): ConfigReading | undefined {
  const row: ConfigRow = clusterConfigs[name];
  const set = row.readOnly ? undefined : textOf(row, clusterTexts, name);
  if (set !== undefined) return { text: set, source: 'cluster' };
  return row.default === undefined ? undefined : { text: row.default, source: 'default' };
}

/** The topic's own value, else the cluster's under the broker's name for it, else the default. */
export function readTopicConfig(
  name: TopicConfigName,
  topicTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
): ConfigReading | undefined {
  const row: ConfigRow = topicConfigs[name];
  const set = textOf(row, topicTexts, name);
  if (set !== undefined) return { text: set, source: 'topic' };
  if (row.synonym !== undefined && isClusterConfig(row.synonym)) {
    const inherited = readClusterConfig(row.synonym, clusterTexts);
    if (inherited !== undefined) return inherited;
  }
  return row.default === undefined ? undefined : { text: row.default, source: 'default' };
}

export function clusterConfigValue<Name extends ClusterConfigName>(
  name: Name,
  clusterTexts: ConfigTexts,
): ClusterValue<Name> {
  return parsed(clusterConfigs[name], readClusterConfig(name, clusterTexts)) as ClusterValue<Name>;
}

export function topicConfigValue<Name extends TopicConfigName>(
  name: Name,
  topicTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
): TopicValue<Name> {
  return parsed(topicConfigs[name], readTopicConfig(name, topicTexts, clusterTexts)) as TopicValue<Name>;
}

/** The largest record of a topic: the topic's limit, else the cluster's, else `undefined`, and the agent's own counts. */
export function recordBytesMax(topicTexts: ConfigTexts, clusterTexts: ConfigTexts): number | undefined {
  return topicConfigValue('max.message.bytes', topicTexts, clusterTexts);
}

export function isClusterConfig(name: string): name is ClusterConfigName {
  return Object.hasOwn(clusterConfigs, name);
}

export function isTopicConfig(name: string): name is TopicConfigName {
  return Object.hasOwn(topicConfigs, name);
}

/** A text that an older release allowed and this one does not counts as not set, since a read has nobody to complain to. */
function textOf({ type }: ConfigRow, texts: ConfigTexts, name: string): string | undefined {
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
  return text === undefined || type.parse(text) === undefined ? undefined : text;
}

function parsed({ type }: ConfigRow, reading: ConfigReading | undefined): unknown {
  return reading === undefined ? undefined : type.parse(reading.text);
}
