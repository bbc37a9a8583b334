import { int32, listOf, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { heartbeatResponse } from './shared-fields.ts';

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
  response: heartbeatResponse,
});
