import { int16, int32 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { classicMember } from './shared-fields.ts';

/**
 * A member of a classic consumer group reports that it is alive and learns whether the group rebalances.
 *
 * v1 adds the throttle time, v2 throttles after the answer (KIP-219), v3 adds static members (KIP-345), v4 the flexible
 * encoding.
 * In PreparingRebalance the answer is REBALANCE_IN_PROGRESS, which still extends the session.
 */
export const heartbeat = defineApi({
  key: 12,
  name: 'Heartbeat',
  versions: '0-4',
  flexible: '4+',
  request: {
    ...classicMember,
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
  },
});
