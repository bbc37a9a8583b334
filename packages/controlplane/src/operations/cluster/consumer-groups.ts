import { timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { comparePlaces, type Page, type Place, pageOf } from './cursors.ts';
import type { ClusterServices } from './services.ts';
import {
  lagOf,
  lagOfTopic,
  type WatchedGroup,
  type WatchedMember,
  type WatchedTopic,
  watchGroup,
  watchGroups,
} from './watched-groups.ts';
import { byText } from './wire-values.ts';

const allGroups = { states: [], types: [] };

export function consumerGroupOperations({ clusterPort }: ClusterServices) {
  return {
    list_consumer_groups: async (input, context) => {
      const { virtual_cluster_id, query, lag_min: lagMin = 0, sort_by } = input;
      const port = clusterPort(virtual_cluster_id);
      const named = (await port.listGroups(allGroups))
        .filter(({ groupId }) => query === undefined || groupId.includes(query))
        .sort((a, b) => byText(a.groupId, b.groupId));
      if (sort_by === 'name' && lagMin === 0) {
        // Only the shown groups have to be described.
        const { items, nextCursor } = pageOf(named, input, ({ groupId }) => ({ number: 0, name: groupId }));
        const groups = await watchGroups(port, items, context);
        return { groups: groups.map(listed), next_cursor: nextCursor };
      }
      const placeOf = (group: WatchedGroup): Place => {
        return { number: sort_by === 'lag' ? lagOf(group) : 0, name: group.name };
      };
      const watched = (await watchGroups(port, named, context))
        .filter((group) => lagOf(group) >= lagMin)
        .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
      const { items, nextCursor }: Page<WatchedGroup> = pageOf(watched, input, placeOf);
      return { groups: items.map(listed), next_cursor: nextCursor };
    },

    describe_consumer_group: async ({ virtual_cluster_id, group: name }, context) => {
      const group = await watchGroup(clusterPort(virtual_cluster_id), name, context);
      if (group === undefined) throw new OperationFailed('not_found', `Group ${name} not found.`);
      return { group: described(group) };
    },

    'monitoring/describe_all_consumer_groups': async ({ virtual_cluster_id }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const groups = await watchGroups(port, await port.listGroups(allGroups), context);
      return { state: { groups: groups.map(monitored) } };
    },
  } satisfies SomeHandlers;
}

function summary(group: WatchedGroup) {
  const { name, type, state, protocol } = group;
  return { name, type, state, protocol, total_lag: lagOf(group) };
}

function listed(group: WatchedGroup) {
  const partitions = group.topics.flatMap((topic) => topic.partitions);
  return {
    ...summary(group),
    member_count: group.members.length,
    topic_count: group.topics.length,
    partition_count: partitions.filter(({ committedOffset }) => committedOffset !== undefined).length,
    max_lag: partitions.reduce((most, { lag }) => Math.max(most, lag ?? 0), 0),
  };
}

function described(group: WatchedGroup) {
  return {
    ...summary(group),
    generation: group.generation,
    members: group.members.map(toMemberResponse),
    topics: group.topics
      .map((topic) => describedTopic(topic))
      .sort((a, b) => b.total_lag - a.total_lag || byText(a.name, b.name)),
  };
}

function describedTopic({ name, partitions }: WatchedTopic) {
  return {
    name,
    total_lag: lagOfTopic(partitions),
    partitions: partitions.map((one) => ({
      partition: one.partition,
      member_id: one.memberId ?? null,
      start_offset: one.startOffset,
      end_offset: one.endOffset,
      committed_offset: one.committedOffset ?? null,
      committed_at: one.committedMs === undefined ? null : timeText(one.committedMs),
      lag: one.lag ?? null,
    })),
  };
}

/** The response that monitoring tools expect. */
function monitored({ name, state, protocol, members, topics }: WatchedGroup) {
  return {
    name,
    state,
    protocol,
    members: members.map(toMemberResponse),
    topics: topics.map((topic) => ({
      name: topic.name,
      partitions: topic.partitions.map((one) => ({
        member_id: one.memberId ?? '',
        partition: one.partition,
        empty: one.startOffset === one.endOffset,
        min_offset: one.startOffset,
        max_offset: one.endOffset,
        committed_offset: one.committedOffset ?? -1,
      })),
    })),
  };
}

function toMemberResponse({ id, instanceId, clientId, clientHost, assigned }: WatchedMember) {
  return {
    id,
    group_instance_id: instanceId,
    client_id: clientId,
    client_host: clientHost,
    assignment: {
      assignments: assigned.map(({ topic, partitions }) => {
        return { topic_name: topic, partitions: [...partitions] };
      }),
    },
  };
}
