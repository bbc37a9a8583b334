import { int16, int32, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const heartbeat = defineApi({
  key: 12,
  name: 'Heartbeat',
  versions: '0-4',
  flexible: '4+',
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: string({ versions: '3+', nullable: true, default: null }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
  },
});
