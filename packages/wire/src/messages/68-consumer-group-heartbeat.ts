import { int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { heartbeatResponse, partitionsById } from './shared-fields.ts';

/**
 * A member of a KIP-848 consumer group joins, stays, changes its subscription or leaves, and learns its assignment: one
 * request for what takes four in classic groups.
 *
 * v1 adds subscription by pattern and requires the client to generate its member id (KIP-1082); an empty one is then
 * INVALID_REQUEST. Fields that have not changed are null or -1; a member that joins sends them all. A wrong epoch is
 * FENCED_MEMBER_EPOCH, unless it is the previous one with a part of what is owned: an answer was lost. A partition is
 * given away only after its old owner has ceased to report it.
 */
export const consumerGroupHeartbeat = defineApi({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: '0-1',
  flexible: '0+',
  request: {
    groupId: string(),
    memberId: string(),
    /** 0 joins, -1 leaves, -2 a static member leaves to come back. */
    memberEpoch: int32(),
    instanceId: string({ nullable: true, default: null }),
    rackId: string({ nullable: true, default: null }),
    /** How long the member may take to give up partitions; -1 if unchanged. */
    rebalanceTimeoutMs: int32({ default: -1 }),
    /** Null if unchanged since the last heartbeat. */
    subscribedTopicNames: listOf(string, { nullable: true, default: null }),
    /** RE2 syntax, else INVALID_REGULAR_EXPRESSION; null if unchanged. */
    subscribedTopicRegex: string({ versions: '1+', nullable: true, default: null }),
    /** uniform or range, else UNSUPPORTED_ASSIGNOR; null for the choice of the server. */
    serverAssignor: string({ nullable: true, default: null }),
    /** What the member owns now; null if unchanged. */
    topicPartitions: structs(partitionsById, { nullable: true, default: null }),
  },
  response: heartbeatResponse,
});
