import { flag, list, nullable, number, object, optional, text, tuple } from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { PartitionsOfTopic } from '../topic-partition.ts';
import type { GroupError, GroupStateName } from './group-names.ts';

/** A principal that ACLs apply to: all names that ACLs may use for it, as `User:name`, and its address. */
export interface TopicReader {
  readonly principals: readonly string[];
  readonly host: string;
}

/** A field that is unchanged since the last heartbeat is `null` or -1. A joining member sends all fields. */
export interface ConsumerHeartbeat {
  readonly groupId: string;
  /** Empty for a new member whose client lets the coordinator choose the id. */
  readonly memberId: string;
  /** 0 joins, -1 leaves, -2 leaves temporarily (static member); otherwise the epoch of the last answer. */
  readonly memberEpoch: number;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly subscribedTopicNames: readonly string[] | null;
  readonly subscribedTopicRegex: string | null;
  /**
   * The principal that subscribes by regular expression: of the matching topics, the member gets those that the
   * principal may DESCRIBE. Absent for a client that ACLs do not apply to.
   */
  readonly reader?: TopicReader | undefined;
  readonly serverAssignor: string | null;
  readonly ownedPartitions: readonly PartitionsOfTopic[] | null;
  /** ConsumerGroupHeartbeat v1 and later: the client generates the member id. */
  readonly requiresMemberId: boolean;
}

const consumerHeartbeat = object<ConsumerHeartbeat>({
  groupId: text,
  memberId: text,
  memberEpoch: number,
  instanceId: nullable(text),
  rackId: nullable(text),
  clientId: text,
  clientHost: text,
  rebalanceTimeoutMs: number,
  subscribedTopicNames: nullable(list(text)),
  subscribedTopicRegex: nullable(text),
  reader: optional(object<TopicReader>({ principals: list(text), host: text })),
  serverAssignor: nullable(text),
  ownedPartitions: nullable(list(object<PartitionsOfTopic>({ topicId: text, partitions: list(number) }))),
  requiresMemberId: flag,
});

export interface ConsumerHeartbeatAnswer {
  /** COORDINATOR_LOAD_IN_PROGRESS: the result of the heartbeat could not be made durable; the member retries. */
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  /** `null` if unchanged since the last answer to the member. */
  readonly assignment: readonly PartitionsOfTopic[] | null;
}

/** A group that does not exist or has another type is GROUP_ID_NOT_FOUND, with state Dead. */
export interface ConsumerGroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly epoch: number;
  readonly assignmentEpoch: number;
  readonly assignor: string;
  readonly members: readonly ConsumerMemberDescription[];
}

interface ConsumerMemberDescription {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly epoch: number;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: readonly string[];
  /** Empty for none. */
  readonly subscribedTopicRegex: string;
  /** The current assignment and the target assignment. */
  readonly assigned: readonly PartitionsOfTopic[];
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
  consumerGroupHeartbeats: leaderCall<[heartbeats: readonly ConsumerHeartbeat[]], ConsumerHeartbeatAnswer[]>(
    tuple(list(consumerHeartbeat)),
    { onRetry: 'dedupe-in-process', deadlineMs: 10_000, splits: true },
  ),
  describeConsumerGroups: leaderCall<[groupIds: readonly string[]], ConsumerGroupDescription[]>(
    tuple(list(text)),
    { onRetry: 'reexecute', splits: true },
  ),
};
