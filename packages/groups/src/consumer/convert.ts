import { consumerProtocolType, readAssignment, readSubscription } from '@weir/cluster';
import { noPartitions, type TopicPartitions, without } from '../assignors/partitions.ts';
import { ClassicGroup, metadataOf } from '../classic/classic-group.ts';
import type { ClassicRules } from '../classic/event.ts';
import type { TopicsView } from '../modern/modern-group.ts';
import { assignmentFor, partitionsOf } from './classic-members.ts';
import { ConsumerGroup } from './consumer-group.ts';

/**
 * Converts a classic group to a consumer group with the same members and assignment; the generation becomes the epoch.
 * Members continue; heartbeats report a new assignment. Returns `undefined` if the members are no consumers or their
 * metadata is unreadable.
 */
export function consumerGroupOf(classic: ClassicGroup, topics: TopicsView): ConsumerGroup | undefined {
  const group = new ConsumerGroup(classic.groupId);
  group.epoch = classic.generationId;
  group.assignmentEpoch = classic.generationId;
  if (classic.members.size > 0 && classic.protocolType !== consumerProtocolType) return undefined;
  for (const member of classic.members.values()) {
    const chosen = member.protocols.find(({ name }) => name === classic.protocolName) ?? member.protocols[0];
    const clientSubscription = readSubscription(chosen?.metadata ?? metadataOf(member, classic.protocolName));
    const given = readAssignment(member.assignment);
    if (chosen === undefined || clientSubscription === undefined || given === undefined) return undefined;
    const assigned = notOwned(group, partitionsOf(given, topics));
    group.add(
      {
        memberId: member.memberId,
        instanceId: member.groupInstanceId,
        rackId: clientSubscription.rackId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        rebalanceTimeoutMs: member.rebalanceTimeoutMs,
        assignor: null,
        classic: {
          sessionTimeoutMs: member.sessionTimeoutMs,
          protocols: [chosen, ...member.protocols.filter((protocol) => protocol !== chosen)],
        },
        subscription: { names: [...new Set(clientSubscription.topics)].sort(), pattern: '' },
        holding: {
          epoch: classic.generationId,
          previousEpoch: classic.generationId,
          state: 'stable',
          assigned,
          revoking: noPartitions,
        },
        sessionDeadlineMs: member.deadlineMs,
        rebalanceDeadlineMs: undefined,
      },
      undefined,
    );
    group.targets.set(member.memberId, assigned);
  }
  group.topics = group.findTopics(topics);
  return group;
}

/** The leader of a classic group may have assigned a partition to several members. The first one retains it. */
function notOwned(group: ConsumerGroup, partitions: TopicPartitions): TopicPartitions {
  let own = partitions;
  for (const { holding } of group.members.values()) own = without(own, holding.assigned);
  return own;
}

/** Returns whether only classic members are left, so that the group can be converted back. */
export function canBeClassic(group: ConsumerGroup, rules: ClassicRules): boolean {
  const { size } = group.members;
  return size > 0 && group.classicCount === size && size <= rules.groupSizeMax;
}

/**
 * Converts back: the epoch becomes the generation, and members retain their current assignment. The group is in
 * CompletingRebalance, so a rebalance follows in any case, here or after a failover.
 */
export function classicGroupOf(group: ConsumerGroup, topics: TopicsView, nowMs: number): ClassicGroup {
  const classic = new ClassicGroup(group.groupId);
  classic.generationId = group.epoch;
  classic.protocolType = consumerProtocolType;
  for (const member of group.members.values()) {
    const { sessionTimeoutMs, protocols } = member.classic!;
    classic.add({
      memberId: member.memberId,
      groupInstanceId: member.instanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      sessionTimeoutMs,
      rebalanceTimeoutMs: member.rebalanceTimeoutMs,
      protocols,
      assignment: assignmentFor(member, member.holding.assigned, topics),
      join: undefined,
      sync: undefined,
      isNew: false,
      agentId: undefined,
      deadlineMs: nowMs + sessionTimeoutMs,
    });
  }
  classic.protocolName = classic.selectProtocol();
  classic.state = 'CompletingRebalance';
  return classic;
}
