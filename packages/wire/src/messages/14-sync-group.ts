import { bytes, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const syncGroup = defineApi({
  key: 14,
  name: 'SyncGroup',
  versions: '0-5',
  flexible: '4+',
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: string({ versions: '3+', nullable: true, default: null }),
    protocolType: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    protocolName: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    assignments: structs({
      memberId: string(),
      assignment: bytes(),
    }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
    protocolType: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    protocolName: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    assignment: bytes(),
  },
});
