import * as s from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { PartitionsOfTopic } from '../topic-partition.ts';
import type {
  ModernGroupDescription,
  ModernHeartbeatAnswer,
  ModernMemberDescription,
} from './modern-groups.ts';

/** A principal that ACLs apply to: all names that ACLs may use for it, as `User:name`, and its address. */
const topicReader = s.struct({
  principals: s.list(s.text),
  host: s.text,
});
export type TopicReader = s.TypeOf<typeof topicReader>;

/** A field that is unchanged since the last heartbeat is `null` or -1. A joining member sends all fields. */
const consumerHeartbeat = s.struct({
  groupId: s.text,
  /** Empty for a new member whose client lets the coordinator choose the id. */
  memberId: s.text,
  /** 0 joins, -1 leaves, -2 leaves temporarily (static member); otherwise the epoch of the last answer. */
  memberEpoch: s.number,
  instanceId: s.nullable(s.text),
  rackId: s.nullable(s.text),
  clientId: s.text,
  clientHost: s.text,
  rebalanceTimeoutMs: s.number,
  subscribedTopicNames: s.nullable(s.list(s.text)),
  subscribedTopicRegex: s.nullable(s.text),
  /**
   * The principal that subscribes by regular expression: of the matching topics, the member gets those that the
   * principal may DESCRIBE. Absent for a client that ACLs do not apply to.
   */
  reader: s.optional(topicReader),
  serverAssignor: s.nullable(s.text),
  ownedPartitions: s.nullable(
    s.list(s.object<PartitionsOfTopic>({ topicId: s.text, partitions: s.list(s.number) })),
  ),
  /** ConsumerGroupHeartbeat v1 and later: the client generates the member id. */
  requiresMemberId: s.flag,
});
export type ConsumerHeartbeat = s.TypeOf<typeof consumerHeartbeat>;

export type ConsumerGroupDescription = ModernGroupDescription<ConsumerMemberDescription>;

interface ConsumerMemberDescription extends ModernMemberDescription {
  readonly instanceId: string | null;
  /** Empty for none. */
  readonly subscribedTopicRegex: string;
  readonly target: readonly PartitionsOfTopic[];
  /** Whether the member uses the classic protocol. */
  readonly isClassic: boolean;
}

/** Calls about consumer groups (KIP-848). */
export const consumerGroupCalls = {
  /**
   * Heartbeats of members of KIP-848 groups, batched by the caller; members join, update and leave with them. A joining
   * member may be assigned an id, so a retry must return the same answer.
   */
  consumerGroupHeartbeats: leaderCall<[heartbeats: readonly ConsumerHeartbeat[]], ModernHeartbeatAnswer[]>(
    s.tuple(s.list(consumerHeartbeat)),
    { onRetry: 'dedupe-in-process', deadlineMs: 10_000, splits: true },
  ),
  describeConsumerGroups: leaderCall<[groupIds: readonly string[]], ConsumerGroupDescription[]>(
    s.tuple(s.list(s.text)),
    { onRetry: 'reexecute', splits: true },
  ),
};
