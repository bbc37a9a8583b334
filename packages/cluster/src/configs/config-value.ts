import type { ConfigResourceKind } from '../calls/admin-calls.ts';
import type { ClusterConfigName, clusterConfigs } from './cluster-configs.ts';
import { configCatalogues } from './config-catalogues.ts';
import type { ConfigRow, ValueOf } from './config-row.ts';
import type { GroupConfigName, groupConfigs } from './group-configs.ts';
import type { TopicConfigName, topicConfigs } from './topic-configs.ts';

/** Set values by canonical name; already validated. */
export type ConfigTexts = Readonly<Record<string, string>>;

const noTexts: ConfigTexts = {};

/**
 * Source of a value, as DescribeConfigs reports it: the resource itself, a broker, the cluster, an agent's flags, or
 * the default.
 */
export type ConfigSource = ConfigResourceKind | 'agent' | 'default';

export interface ConfigReading {
  /** Name of the config at that source. */
  readonly name: string;
  readonly text: string;
  readonly source: ConfigSource;
}

type ClusterConfigs = typeof clusterConfigs;
type TopicConfigs = typeof topicConfigs;
type GroupConfigs = typeof groupConfigs;

/** A value is defined if the row has a default, its own or the cluster's; otherwise it may be `undefined`. */
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
 * Yields the candidate values of a config, the most specific first: of the resource, of the broker and the cluster
 * under the broker's name for it, of the agent's flags, the default. The first one is effective.
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

/** Returns the effective text; `undefined` if nothing is set and there is no default, or no such config. */
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

/**
 * Returns the maximum record size of a topic: the topic's limit, else the cluster's, else `undefined`: then the agent's
 * own limit applies.
 */
export function recordBytesMax(topicTexts: ConfigTexts, clusterTexts: ConfigTexts): number | undefined {
  return topicConfigValue('max.message.bytes', topicTexts, clusterTexts);
}

/**
 * Treats a text that an older release accepted and this one does not as not set, since a read cannot report an error.
 */
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
