import type { ConfigResourceKind } from '../ports/admin-port.ts';
import type { ClusterConfigName, clusterConfigs } from './cluster-configs.ts';
import { configCatalogues } from './config-catalogues.ts';
import type { ConfigRow, ValueOf } from './config-row.ts';
import type { GroupConfigName, groupConfigs } from './group-configs.ts';
import type { TopicConfigName, topicConfigs } from './topic-configs.ts';

/** What was set, by canonical name. Only checked values get here. */
export type ConfigTexts = Readonly<Record<string, string>>;

const noTexts: ConfigTexts = {};

/** Where a value comes from: the resource itself, a broker, the cluster, the flags of an agent, or nobody. DescribeConfigs tells it. */
export type ConfigSource = ConfigResourceKind | 'agent' | 'default';

export interface ConfigReading {
  /** The name under which it is set there. */
  readonly name: string;
  readonly text: string;
  readonly source: ConfigSource;
}

type ClusterConfigs = typeof clusterConfigs;
type TopicConfigs = typeof topicConfigs;
type GroupConfigs = typeof groupConfigs;

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

type GroupValue<Name extends GroupConfigName> = ValueOf<GroupConfigs[Name]>;

/**
 * All that a config could be, the most specific first: what the resource has, what the broker and the cluster have under the
 * broker's name for it, what the flags of the agent say, the default. The first one counts.
 */
export function* readings(
  kind: ConfigResourceKind,
  name: string,
  ownTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
  agentTexts: ConfigTexts = noTexts,
  brokerTexts: ConfigTexts = noTexts,
): Generator<ConfigReading, undefined> {
  const row = configCatalogues[kind].rows[name]!;
  const set = row.readOnly ? undefined : textOf(row, ownTexts, name);
  if (set !== undefined) yield { name, text: set, source: kind };
  if (kind === 'broker') {
    yield* readings('cluster', name, clusterTexts, clusterTexts, agentTexts);
    return undefined;
  }
  if (kind === 'cluster') {
    const flag = textOf(row, agentTexts, name);
    if (flag !== undefined) yield { name, text: flag, source: 'agent' };
  } else if (row.synonym !== undefined && Object.hasOwn(configCatalogues.broker.rows, row.synonym)) {
    yield* readings('broker', row.synonym, brokerTexts, clusterTexts, agentTexts);
  }
  if (row.default !== undefined) yield { name, text: row.default, source: 'default' };
}

/** The text that counts; `undefined` when nothing is set and there is no default, or no such config. */
export function effectiveText(
  kind: ConfigResourceKind,
  name: string,
  ownTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
): string | undefined {
  if (!Object.hasOwn(configCatalogues[kind].rows, name)) return undefined;
  return readings(kind, name, ownTexts, clusterTexts).next().value?.text;
}

export function clusterConfigValue<Name extends ClusterConfigName>(
  name: Name,
  clusterTexts: ConfigTexts,
): ClusterValue<Name> {
  return readValue('cluster', name, clusterTexts, clusterTexts) as ClusterValue<Name>;
}

export function topicConfigValue<Name extends TopicConfigName>(
  name: Name,
  topicTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
): TopicValue<Name> {
  return readValue('topic', name, topicTexts, clusterTexts) as TopicValue<Name>;
}

export function groupConfigValue<Name extends GroupConfigName>(
  name: Name,
  groupTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
): GroupValue<Name> {
  return readValue('group', name, groupTexts, clusterTexts) as GroupValue<Name>;
}

/** The largest record of a topic: the topic's limit, else the cluster's, else `undefined`, and the agent's own counts. */
export function recordBytesMax(topicTexts: ConfigTexts, clusterTexts: ConfigTexts): number | undefined {
  return topicConfigValue('max.message.bytes', topicTexts, clusterTexts);
}

/** A text that an older release allowed and this one does not counts as not set, since a read has nobody to complain to. */
function textOf({ type }: ConfigRow, texts: ConfigTexts, name: string): string | undefined {
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
  return text === undefined || type.parse(text) === undefined ? undefined : text;
}

function readValue(
  kind: ConfigResourceKind,
  name: string,
  ownTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
): unknown {
  const text = effectiveText(kind, name, ownTexts, clusterTexts);
  return text === undefined ? undefined : configCatalogues[kind].rows[name]!.type.parse(text);
}
