import type { OutputOf } from '@weir/api';
import { configCatalogues, type DeleteRecordsResult, describeConfigs } from '@weir/cluster';
import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import { toDefinition } from './config-definitions.ts';
import { comparePlaces, type Place, pageOf } from './cursors.ts';
import type { ClusterServices } from './services.ts';
import { readLogs, recordsOf, sum } from './topic-logs.ts';
import { refuseInternal, requireTopic } from './topics.ts';
import { lagOfTopic, type WatchedGroup, watchGroups } from './watched-groups.ts';

type Consumer = OutputOf<'list_topic_consumers'>['consumers'][number];

export function topicDetailOperations({ clusterPort }: ClusterServices) {
  return {
    list_topic_config_definitions: async ({ virtual_cluster_id }, context) => {
      const clusterTexts = await readClusterConfigs(clusterPort(virtual_cluster_id), context);
      const described = describeConfigs('topic', { texts: {}, clusterTexts, agentTexts: {}, names: null });
      const { rows } = configCatalogues.topic;
      return {
        definitions: described.map(({ name, value }) => ({
          ...toDefinition(name, rows[name]!),
          default: value,
        })),
      };
    },

    list_topic_partitions: async (input, context) => {
      const { virtual_cluster_id, topic_name, sort_by: sortBy, descending, skip, limit } = input;
      const port = clusterPort(virtual_cluster_id);
      const topic = await requireTopic(port, topic_name, context);
      const logs = await readLogs(port, topic, context);
      const { starts, ends, sizes } = logs;
      const countOf = (partition: number) => ends[partition]! - starts[partition]!;
      const keyOf = { partition: Number, records: countOf, size: (at: number) => sizes[at]! }[sortBy];
      const sign = descending ? -1 : 1;
      const shown = Array.from(ends.keys())
        .sort((a, b) => sign * (keyOf(a) - keyOf(b)) || a - b)
        .slice(skip, skip + limit);
      const latest = await port.findOffsets(
        shown.map((partition) => ({ topicId: topic.topicId, partition, want: 'latest', timestampMs: 0 })),
      );
      return {
        partitions: shown.map((partition, index) => ({
          partition,
          start_offset: starts[partition]!,
          end_offset: ends[partition]!,
          size_bytes: sizes[partition]!,
          latest_record_at: timeOrNull(latest[index]?.latestTimestampMs),
        })),
        partition_count: ends.length,
        record_count: recordsOf(logs),
        size_bytes: sum(sizes),
      };
    },

    list_topic_consumers: async (input, context) => {
      const { virtual_cluster_id, topic_name } = input;
      const port = clusterPort(virtual_cluster_id);
      await requireTopic(port, topic_name, context);
      const groups = await watchGroups(port, await port.listGroups({ states: [], types: [] }), context);
      const placeOfConsumer = ({ lag, group }: Consumer): Place => ({ number: lag, name: group });
      const consumers = groups
        .flatMap((group) => consumerOf(group, topic_name))
        .sort((a, b) => comparePlaces(placeOfConsumer(a), placeOfConsumer(b)));
      const { items, nextCursor } = pageOf(consumers, input, placeOfConsumer);
      return { consumers: [...items], next_cursor: nextCursor };
    },

    delete_records: async ({ virtual_cluster_id, topic_name, partitions }, context) => {
      refuseInternal(topic_name);
      const port = clusterPort(virtual_cluster_id);
      const topic = await requireTopic(port, topic_name, context);
      const { starts, ends } = await readLogs(port, topic, context);
      for (const { partition, before_offset: offset } of partitions) {
        const end = ends[partition];
        if (end === undefined)
          throw new OperationFailed(
            'invalid_request',
            `The topic ${topic_name} has ${ends.length} partitions; partition ${partition} does not exist.`,
          );
        if ((offset ?? 0) > end)
          throw new OperationFailed(
            'invalid_request',
            `Partition ${partition} of ${topic_name} has offsets from ${starts[partition]} to ${end}; ${offset} is out of range.`,
          );
      }
      const results = await port.deleteRecords(
        partitions.map(({ partition, before_offset }) => ({
          topicId: topic.topicId,
          partition,
          offset: before_offset ?? -1,
        })),
      );
      return {
        partitions: results.map((result, index) => ({
          partition: partitions[index]!.partition,
          start_offset: startAfter(result, topic_name),
        })),
      };
    },
  } satisfies SomeHandlers;
}

/** Producers choose the times of records, so that some are none. */
function timeOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined || timeMs < 0 || timeMs > latestMs ? null : timeText(timeMs);
}

/** The last time that the API can represent. */
const latestMs = Date.UTC(9999, 11, 31);

function consumerOf({ name, type, state, members, topics }: WatchedGroup, topicName: string): Consumer[] {
  const topic = topics.find((one) => one.name === topicName);
  if (topic === undefined) return [];
  const { partitions } = topic;
  return [
    {
      group: name,
      type,
      state,
      member_count: members.filter(({ assigned }) => assigned.some(({ topic }) => topic === topicName))
        .length,
      partition_count: partitions.filter(({ committedOffset }) => committedOffset !== undefined).length,
      lag: lagOfTopic(partitions),
      max_lag: partitions.reduce((most, { lag }) => Math.max(most, lag ?? 0), 0),
    },
  ];
}

function startAfter({ error, logStartOffset }: DeleteRecordsResult, topicName: string): number {
  switch (error) {
    case 'NONE':
      return logStartOffset;
    case 'POLICY_VIOLATION':
      throw new OperationFailed(
        'invalid_request',
        `Records of the compacted topic ${topicName} cannot be deleted by offset; produce a tombstone for each key.`,
      );
    case 'OFFSET_OUT_OF_RANGE':
      throw new OperationFailed('invalid_request', `An offset is beyond the end of its partition.`);
    case 'UNKNOWN_TOPIC_ID':
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      throw new OperationFailed('not_found', `Topic ${topicName} not found.`);
  }
}
