import type { ErrorCode, InputOf, OutputOf } from '@weir/api';
import {
  type ClusterPort,
  type ConfigChange,
  clusterConfigValue,
  describeConfigs,
  type TopicDescription,
  topicConfigValue,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { internalTopicProblem, isInternalTopic, timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readClusterConfigs, readTopic } from './cluster-reads.ts';
import { type ClusterSnapshotContext, ClusterTopicsSnapshot } from './cluster-topics-snapshot.ts';
import { configAudit } from './config-audit.ts';
import { deletionEstimate } from './deletion-estimate.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { readLogs, recordsOf, sum } from './topic-logs.ts';
import { byText, nanosecondsOfMs, partsOf } from './wire-values.ts';

type ListedTopic = OutputOf<'list_topics'>['topics'][number];
type Texts = Readonly<Record<string, string>>;

const alterCodes = {
  UNKNOWN_TOPIC_OR_PARTITION: 'not_found',
  UNKNOWN_TOPIC_ID: 'not_found',
  INVALID_PARTITIONS: 'invalid_request',
  INVALID_REPLICATION_FACTOR: 'invalid_request',
  INVALID_REQUEST: 'invalid_request',
  INVALID_CONFIG: 'invalid_topic_config',
  POLICY_VIOLATION: 'limit_exceeded',
  COMPACTION_CHANGE: 'compaction_change',
} as const satisfies Record<string, ErrorCode>;

const createCodes = {
  ...alterCodes,
  TOPIC_ALREADY_EXISTS: 'topic_already_exists',
  // The name itself is already validated: what remains is a name that collides with another in metrics.
  INVALID_TOPIC_EXCEPTION: 'topic_already_exists',
} as const satisfies Record<string, ErrorCode>;

const deleteCodes = {
  UNKNOWN_TOPIC_OR_PARTITION: 'not_found',
  TOPIC_DELETION_DISABLED: 'deletion_protected',
} as const satisfies Record<string, ErrorCode>;

const restoreCodes = {
  UNKNOWN_TOPIC_ID: 'not_found',
  TOPIC_ALREADY_EXISTS: 'not_restorable',
  INVALID_TOPIC_EXCEPTION: 'not_restorable',
  POLICY_VIOLATION: 'limit_exceeded',
} as const satisfies Record<string, ErrorCode>;

export function topicOperations({ clusterPort }: ClusterServices) {
  return {
    list_topics: async (input, context) => {
      const port = clusterPort(input.virtual_cluster_id);
      // Read before the deleted topics, so that a topic that is deleted in between is missing from neither list.
      const snapshot = await ClusterTopicsSnapshot.take(port, context);
      const { topics: all, clusterConfigs } = snapshot;
      const topics = input.include_internal ? all : all.filter(({ name }) => !isInternalTopic(name));
      const matching = topics.filter(({ name }) => hasQuery(name, input.query));
      const { limit = Number.POSITIVE_INFINITY } = input;
      const page = <T>(rows: readonly T[]) => rows.slice(input.skip, input.skip + limit);
      const toListed = async (chosen: readonly TopicDescription[]) => {
        const sizes = await byteCounts(port, chosen);
        return chosen.map((topic, index) => ({
          ...listedTopic(topic, clusterConfigs, sizes[index]!),
          record_count: recordsIn(snapshot, topic),
          is_internal: isInternalTopic(topic.name),
        }));
      };
      const order = topicOrder(input, snapshot);
      // Sizes are read of the topics that are returned alone, unless they decide the order.
      const shown =
        order === undefined
          ? page(sortedBySize(await toListed(matching), input.descending))
          : await toListed(page(matching.toSorted(order)));
      const deleted = input.include_recently_deleted ? await port.listDeletedTopics() : undefined;
      return {
        topics: shown,
        ...(input.limit === undefined ? {} : { topic_count: topics.length, matching_count: matching.length }),
        recently_deleted_topics:
          deleted?.map(({ topic, deletedMs, restorableUntilMs, byteCount }) => ({
            ...listedTopic(topic, clusterConfigs, byteCount),
            deleted_at: timeText(deletedMs),
            restorable_until: timeText(Math.min(restorableUntilMs, latestMs)),
          })) ?? null,
      };
    },

    create_topic: async (
      { virtual_cluster_id, topic_name: name, partition_count, configs, validate_only: validateOnly },
      context,
    ) => {
      refuseInternal(name);
      const topic = { name, partitionCount: partition_count, configs: withoutNulls(configs) };
      const [result] = await clusterPort(virtual_cluster_id).createTopics([topic], { validateOnly });
      refuse(result!, createCodes);
      context.changed([
        { name: 'partitions', before: null, after: String(partition_count) },
        ...configAudit('topic', configChanges(configs), {}),
      ]);
      return {};
    },

    describe_topic: async ({ virtual_cluster_id, topic_name }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const [topic, clusterTexts] = await Promise.all([
        requireTopic(port, topic_name, context),
        readClusterConfigs(port, context),
      ]);
      const { topicId, partitionCount, configs: texts } = topic;
      const described = describeConfigs('topic', { texts, clusterTexts, agentTexts: {}, names: null });
      const configs = Object.fromEntries(described.map(({ name, value }) => [name, value]));
      const logs = await readLogs(port, topic, context);
      return {
        topic_id: topicId,
        partition_count: partitionCount,
        configs,
        set_configs: described.filter(({ source }) => source === 'topic').map(({ name }) => name),
        record_count: recordsOf(logs),
        size_bytes: sum(logs.sizes),
        created_at: timeText(topic.createdMs),
      };
    },

    update_topic: async (input, context) => {
      const { virtual_cluster_id, topic_name, partition_count, configs } = input;
      refuseInternal(topic_name);
      const port = clusterPort(virtual_cluster_id);
      const topic = await requireTopic(port, topic_name, context);
      // Declarative tools send the partition count each time.
      const isGrowing = partition_count !== undefined && partition_count !== topic.partitionCount;
      const growth = isGrowing ? [{ name: topic_name, partitionCount: partition_count }] : [];
      const changes = configChanges(configs);
      const alteration =
        changes.length === 0
          ? []
          : [{ kind: 'topic', name: topic_name, replacesAll: false, changes } as const];
      let configsAfter = topic.configs;
      // Both are validated before either is applied, so that an error in one leaves the other unchanged.
      for (const validateOnly of input.validate_only ? [true] : [true, false]) {
        const altered =
          alteration.length === 0 ? [] : await port.alterOwnerConfigs(alteration, { validateOnly });
        for (const result of altered) {
          refuse(result, alterCodes);
          configsAfter = result.configs ?? configsAfter;
        }
        const grown = growth.length === 0 ? [] : await port.createPartitions(growth, { validateOnly });
        for (const result of grown) refuse(result, alterCodes);
      }
      if (input.validate_only) {
        const { topicId, configs: before } = topic;
        const change = { topicId, before, after: configsAfter, nowMs: context.clock.nowMs() };
        return { deletion_estimate: await deletionEstimate(port, change) };
      }
      context.changed([
        ...configAudit('topic', changes, topic.configs),
        ...growth.map(({ partitionCount }) => {
          return { name: 'partitions', before: String(topic.partitionCount), after: String(partitionCount) };
        }),
      ]);
      return {};
    },

    delete_topic: async ({ virtual_cluster_id, topic_name: name, soft_delete }, context) => {
      refuseInternal(name);
      const port = clusterPort(virtual_cluster_id);
      if (soft_delete === true) await requireSoftDelete(port, context);
      const [result] =
        soft_delete === false ? await port.removeTopics([{ name }]) : await port.deleteTopics([{ name }]);
      if (result!.error === 'TOPIC_DELETION_DISABLED')
        throw new OperationFailed(
          'deletion_protected',
          `The topic ${name} has deletion protection enabled: ${result!.message}`,
        );
      refuse(result!, deleteCodes);
      return {};
    },

    undelete_topic: async ({ virtual_cluster_id, topic_id, topic_name }) => {
      const port = clusterPort(virtual_cluster_id);
      const topicId = topic_id ?? (await lastDeleted(port, topic_name!));
      const [result] = await port.restoreTopics([topicId]);
      refuse(result!, restoreCodes);
      return {};
    },
  } satisfies SomeHandlers;
}

function hasQuery(name: string, query: string | undefined): boolean {
  return query === undefined || name.toLowerCase().includes(query.toLowerCase());
}

type TopicOrder = Pick<InputOf<'list_topics'>, 'sort_by' | 'descending'>;

/** Returns `undefined` for the order by size, which descriptions do not have. */
function topicOrder(
  { sort_by: sortBy, descending }: TopicOrder,
  snapshot: ClusterTopicsSnapshot,
): ((a: TopicDescription, b: TopicDescription) => number) | undefined {
  const sign = descending ? -1 : 1;
  const byName = (a: TopicDescription, b: TopicDescription) => byText(a.name, b.name);
  const byNumber = (numberOf: (topic: TopicDescription) => number) => {
    const numbers = new Map<TopicDescription, number>();
    const cached = (topic: TopicDescription) => {
      const known = numbers.get(topic) ?? numberOf(topic);
      numbers.set(topic, known);
      return known;
    };
    return (a: TopicDescription, b: TopicDescription) => {
      const [x, y] = [cached(a), cached(b)];
      return x === y ? byName(a, b) : sign * (x < y ? -1 : 1);
    };
  };
  switch (sortBy) {
    case 'size':
      return undefined;
    case 'name':
      return (a, b) => sign * byName(a, b);
    case 'partitions':
      return byNumber(({ partitionCount }) => partitionCount);
    case 'created':
      return byNumber(({ createdMs }) => createdMs);
    case 'records':
      return byNumber((topic) => recordsIn(snapshot, topic));
    case 'retention':
      return byNumber(({ configs }) => {
        const retentionMs = topicConfigValue('retention.ms', configs, snapshot.clusterConfigs);
        return retentionMs < 0 ? Number.POSITIVE_INFINITY : retentionMs;
      });
  }
}

function sortedBySize(topics: readonly ListedTopic[], descending: boolean): ListedTopic[] {
  const sign = descending ? -1 : 1;
  return topics.toSorted(
    (a, b) => sign * (a.uncompressed_size_hint - b.uncompressed_size_hint) || byText(a.name, b.name),
  );
}

/** Internal topics are described by name, and changed only by the settings of the cluster. */
export function refuseInternal(name: string): void {
  if (isInternalTopic(name)) throw new OperationFailed('invalid_request', internalTopicProblem(name));
}

/** The last time that the API can represent. */
const latestMs = Date.UTC(9999, 11, 31);

export async function requireTopic(
  port: ClusterPort,
  name: string,
  context: ClusterSnapshotContext,
): Promise<TopicDescription> {
  const topic = await readTopic(port, name, context);
  if (topic === undefined) throw new OperationFailed('not_found', `Topic ${name} not found.`);
  return topic;
}

/** Counts the records of a topic by their offsets. */
function recordsIn(snapshot: ClusterTopicsSnapshot, { topicId, partitionCount }: TopicDescription): number {
  let count = 0;
  for (let partition = 0; partition < partitionCount; partition++) {
    const ends = snapshot.ends(topicId, partition);
    if (ends !== undefined) count += ends.nextOffset - ends.logStartOffset;
  }
  return count;
}

function listedTopic(topic: TopicDescription, clusterTexts: Texts, byteCount: number) {
  const { topicId, name, partitionCount, configs, createdMs } = topic;
  return {
    id: topicId,
    name,
    created_at: timeText(createdMs),
    retention: nanosecondsOfMs(topicConfigValue('retention.ms', configs, clusterTexts)),
    shard_count: partitionCount,
    // Files are compressed by the producers, so this is the only known size.
    uncompressed_size_hint: byteCount,
    cleanup_policy: topicConfigValue('cleanup.policy', configs, clusterTexts).join(','),
  };
}

/** Returns the bytes of each topic; 0 for one that was deleted meanwhile. */
async function byteCounts(port: ClusterPort, topics: readonly TopicDescription[]): Promise<number[]> {
  const sums: number[] = [];
  for (const part of partsOf(topics, clusterLimits.logSizesPerCallMax)) {
    const { partitionCount, byteCount } = await port.logSizes(part.map(({ topicId }) => topicId));
    let row = 0;
    for (const count of partitionCount) {
      sums.push(byteCount.subarray(row, row + count).reduce((sum, bytes) => sum + bytes, 0));
      row += count;
    }
  }
  return sums;
}

function withoutNulls(configs: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(configs).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** `null` resets a config to its default. */
function configChanges(configs: Readonly<Record<string, string | null>>): ConfigChange[] {
  return Object.entries(configs).map(([name, value]) => {
    return { name, operation: value === null ? 'delete' : 'set', value };
  });
}

/** An explicit soft delete must not lose the topic on a cluster that removes deleted topics at once. */
async function requireSoftDelete(port: ClusterPort, context: ClusterSnapshotContext): Promise<void> {
  const clusterConfigs = await readClusterConfigs(port, context);
  if (clusterConfigValue('service.soft.delete.topic.enable', clusterConfigs)) return;
  throw new OperationFailed(
    'invalid_request',
    'A deleted topic of this cluster cannot be restored: service.soft.delete.topic.enable is false. Set it to true, or omit soft_delete.',
  );
}

async function lastDeleted(port: ClusterPort, name: string): Promise<string> {
  const found = (await port.listDeletedTopics()).find(({ topic }) => topic.name === name);
  if (found === undefined)
    throw new OperationFailed('not_found', `No deleted topic ${name} can be restored.`);
  return found.topic.topicId;
}
