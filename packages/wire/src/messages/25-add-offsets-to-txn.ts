import { int16, int32, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const addOffsetsToTxn = defineApi({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: '0-4',
  flexible: '3+',
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    groupId: string(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
  },
});
