import { int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const topicPartitions = {
  topicId: uuid(),
  partitions: listOf(int32),
};

/**
 * A member of a share group joins, stays, changes its subscription or leaves (KIP-932).
 *
 * v0 was an early access of Kafka 4.0 and is gone; v1 is the first stable version. The client generates its member id.
 * Partitions are shared between members, so none has to be revoked.
 */
export const shareGroupHeartbeat = defineApi({
  key: 76,
  name: 'ShareGroupHeartbeat',
  versions: '1',
  flexible: '0+',
  request: {
    groupId: string(),
    memberId: string(),
    /** 0 joins, -1 leaves. */
    memberEpoch: int32(),
    /** Null if unchanged since the last heartbeat. */
    rackId: string({ nullable: true, default: null }),
    /** Null if unchanged since the last heartbeat. */
    subscribedTopicNames: listOf(string, { nullable: true, default: null }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    memberId: string({ nullable: true, default: null }),
    memberEpoch: int32(),
    /** Set by the server, like the session timeout. */
    heartbeatIntervalMs: int32(),
    /** Null if unchanged. */
    assignment: struct(
      {
        topicPartitions: structs(topicPartitions),
      },
      { nullable: true, default: null },
    ),
  },
});
