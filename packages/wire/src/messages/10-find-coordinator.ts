import { int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client asks which broker coordinates a group, a transactional id or a share partition.
 *
 * v1 adds key types, the throttle time and error messages, v2 throttles after the answer (KIP-219), v3 is flexible, v4
 * asks for many keys at once (KIP-699), v5 adds TRANSACTION_ABORTABLE (KIP-890), v6 share partitions (KIP-932).
 * Up to v3 the answer is at the top level, from v4 on in `coordinators`, one entry per key in request order.
 */
export const findCoordinator = defineApi({
  key: 10,
  name: 'FindCoordinator',
  versions: '0-6',
  flexible: '3+',
  request: {
    key: string({ versions: '0-3' }),
    /** 0 group, 1 transactional id, 2 share partition, its key being `groupId:topicId:partition` (v6+). */
    keyType: int8({ versions: '1+', default: 0 }),
    coordinatorKeys: listOf(string, { versions: '4+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16({ versions: '0-3' }),
    errorMessage: string({ versions: '1-3', nullable: true, ignorable: true }),
    /** -1 on an error. */
    nodeId: int32({ versions: '0-3' }),
    host: string({ versions: '0-3' }),
    port: int32({ versions: '0-3' }),
    coordinators: structs(
      {
        key: string(),
        /** -1 on an error. */
        nodeId: int32(),
        host: string(),
        port: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true }),
      },
      { versions: '4+' },
    ),
  },
});
