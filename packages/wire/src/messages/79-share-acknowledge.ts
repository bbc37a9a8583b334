import { bool, int32, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import {
  acknowledgedTopics,
  currentLeader,
  nodeEndpoints,
  result,
  shareSession,
  throttledResult,
} from './shared-fields.ts';

/**
 * A member of a share group acknowledges the records it acquired, without fetching more (KIP-932).
 *
 * v0 was an early access of Kafka 4.0 and is gone; v2 adds renewal of locks (KIP-1222). It shares the session and its
 * epoch with ShareFetch but cannot open one. Records that the member does not hold, or no longer, are
 * INVALID_RECORD_STATE.
 */
export const shareAcknowledge = defineApi({
  key: 79,
  name: 'ShareAcknowledge',
  versions: '1-2',
  flexible: '0+',
  request: {
    ...shareSession,
    /** Has acknowledgements of type 4. */
    isRenewAck: bool({ versions: '2+', default: false }),
    topics: acknowledgedTopics,
  },
  response: {
    ...throttledResult,
    /** How long renewed records are locked for the member. */
    acquisitionLockTimeoutMs: int32({ versions: '2+', ignorable: true }),
    responses: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        ...result,
        currentLeader,
      }),
    }),
    nodeEndpoints,
  },
});
