import {
  type AlterConfigsResult,
  alteredConfigs,
  type ClusterChange,
  type ConfigsBy,
  type ConfigsToAlter,
  configCatalogues,
  type StoredConfigKind,
} from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { ByteReader } from './bytes/byte-reader.ts';
import type { ByteWriter } from './bytes/byte-writer.ts';
import type { ClusterState } from './cluster-state.ts';
import { type ConfigChanges, readConfigChanges, writeConfigChanges } from './config-changes.ts';
import type { Namespace } from './kv/namespaces.ts';
import { applyEntriesPut, decidePutEntries, type EntryChange, writeEntriesPut } from './kv/put-entries.ts';
import type { MachineLimits } from './machine-limits.ts';
import { managedMessage, ownMigrationOf } from './managed/managed-topics.ts';
import { repeated } from './topics/repeated.ts';
import { topicOf } from './topics/topic-entries.ts';
import type { Topic } from './topics/topics.ts';

/** Changes by where configs are stored: in topics, in the cluster, and as key-value entries for all other kinds. */
interface ConfigAlteration {
  readonly topics: ReadonlyMap<Topic, ConfigChanges>;
  readonly cluster: ConfigChanges;
  readonly records: readonly EntryChange[];
}

type Configs = Readonly<Record<string, string>>;

const namespaceOf = {
  group: 'groupConfigs',
  clientMetrics: 'clientMetrics',
  broker: 'brokerConfigs',
} as const satisfies Record<StoredConfigKind, Namespace>;

/** Decides the changes per resource without applying them. */
export function decideAlterConfigs(
  state: ClusterState,
  limits: MachineLimits,
  requests: readonly ConfigsToAlter[],
  by: ConfigsBy,
): { alteration: ConfigAlteration | undefined; results: AlterConfigsResult[] } {
  const topics = new Map<Topic, ConfigChanges>();
  const records: EntryChange[] = [];
  let cluster: ConfigChanges = {};
  const { clusterConfigs } = state;
  const namedTwice = repeated(requests.map(keyOf));

  const results = requests.map((request): AlterConfigsResult => {
    const { kind, name } = request;
    const { noun } = configCatalogues[kind];
    if (namedTwice.has(keyOf(request))) {
      return refused('INVALID_REQUEST', `Duplicate ${noun} ${name} in the request.`);
    }
    const topic = kind === 'topic' ? state.topics.byName(name) : undefined;
    if (kind === 'topic' && topic === undefined) {
      // As in Kafka, a mistake in a config is reported first.
      const altered = alteredConfigs(request, {}, clusterConfigs, by);
      return altered.error === 'NONE'
        ? refused('UNKNOWN_TOPIC_OR_PARTITION', `Topic ${name} does not exist.`)
        : { ...altered, configs: undefined };
    }
    const migration = topic === undefined ? undefined : ownMigrationOf(state, topic.description.topicId);
    if (migration !== undefined) return refused('POLICY_VIOLATION', managedMessage(name, migration));
    if (isStored(kind) && (name === '' || name.length > coreLimits.groupNameCharsMax)) {
      return refused(
        'INVALID_REQUEST',
        `A ${noun} name has 1 to ${coreLimits.groupNameCharsMax} characters.`,
      );
    }
    if (kind === 'broker' && !isNodeId(name)) {
      return refused('INVALID_REQUEST', `A broker is named by its node id, not ${JSON.stringify(name)}.`);
    }
    const present = isStored(kind)
      ? storedConfigs(state, kind, name)
      : (topic?.description.configs ?? clusterConfigs);
    const altered = alteredConfigs(request, present, clusterConfigs, by);
    if (altered.error !== 'NONE') return { ...altered, configs: undefined };
    const { configs } = altered;

    if (isStored(kind)) {
      const value = Object.keys(configs).length === 0 ? null : Buffer.from(JSON.stringify(configs));
      records.push({ namespace: namespaceOf[kind], key: name, value });
    } else if (topic === undefined) {
      cluster = differences(present, configs);
    } else {
      topics.set(topic, differences(present, configs));
    }
    return { error: 'NONE', message: null, configs };
  });

  const problem = problemOf(state, limits, records);
  if (problem !== undefined) {
    records.length = 0;
    for (const [index, { kind }] of requests.entries()) {
      if (isStored(kind) && results[index]!.error === 'NONE') {
        results[index] = refused('POLICY_VIOLATION', problem);
      }
    }
  }
  for (const [topic, changes] of topics) if (Object.keys(changes).length === 0) topics.delete(topic);
  const { changed } = decidePutEntries(state, limits, records);
  const isNothing = topics.size + Object.keys(cluster).length + changed.length === 0;
  return { alteration: isNothing ? undefined : { topics, cluster, records: changed }, results };
}

/** Layout: topic numbers with their changes, then changes of the cluster, then entries as in `entriesPut`. */
export function writeConfigsAltered(
  writer: ByteWriter,
  { topics, cluster, records }: ConfigAlteration,
): void {
  writer.varint(topics.size);
  for (const [{ number }, changes] of topics) {
    writer.varint(number);
    writeConfigChanges(writer, changes);
  }
  writeConfigChanges(writer, cluster);
  writeEntriesPut(writer, records);
}

export function applyConfigsAltered(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    const configs = readConfigChanges(topic.description.configs, reader);
    topic.description = { ...topic.description, configs };
    changes.push({ kind: 'topic', topic: topic.description });
  }
  const clusterConfigs = readConfigChanges(state.clusterConfigs, reader);
  if (clusterConfigs !== state.clusterConfigs)
    changes.push({ kind: 'clusterConfigs', configs: clusterConfigs });
  state.clusterConfigs = clusterConfigs;
  changes.push(...applyEntriesPut(state, reader));
  return changes;
}

/** Returns the configs of a group, a client-metrics subscription or a broker. */
export function storedConfigs(
  { kv }: Pick<ClusterState, 'kv'>,
  kind: StoredConfigKind,
  name: string,
): Configs {
  const value = kv.get(namespaceOf[kind], name);
  return value === undefined ? {} : (JSON.parse(value.toString()) as Configs);
}

/** Returns the names that have configs. */
export function storedConfigNames({ kv }: ClusterState, kind: StoredConfigKind): string[] {
  return [...kv.of(namespaceOf[kind]).keys()];
}

/** Each kind has a limit besides that of all entries, so that configs do not use up the space of groups. */
function problemOf(
  state: ClusterState,
  limits: MachineLimits,
  changes: readonly EntryChange[],
): string | undefined {
  const limitOf = {
    groupConfigs: limits.groupConfigsMax,
    clientMetrics: limits.clientMetricsMax,
    brokerConfigs: limits.brokerConfigsMax,
  } as const;
  for (const [namespace, max] of Object.entries(limitOf) as [keyof typeof limitOf, number][]) {
    const own = changes.filter((change) => change.namespace === namespace && change.value !== null);
    const added = own.filter(({ key }) => state.kv.get(namespace, key) === undefined).length;
    if (added > 0 && state.kv.of(namespace).size + added > max) {
      return `The cluster has configs for ${state.kv.of(namespace).size} of at most ${max} such resources.`;
    }
  }
  return decidePutEntries(state, limits, changes).problem;
}

function differences(before: Configs, after: Configs): ConfigChanges {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => before[name] !== after[name]).sort();
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

function isStored(kind: ConfigsToAlter['kind']): kind is StoredConfigKind {
  return kind !== 'topic' && kind !== 'cluster';
}

function isNodeId(name: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 31;
}

function keyOf({ kind, name }: ConfigsToAlter): string {
  return `${kind} ${name}`;
}

function refused(error: Exclude<AlterConfigsResult['error'], 'NONE'>, message: string): AlterConfigsResult {
  return { error, message, configs: undefined };
}
