import { bool, int16, int32, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const endTxn = defineApi({
  key: 26,
  name: 'EndTxn',
  versions: '0-5',
  flexible: '3+',
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    committed: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    producerId: int64({ versions: '5+', default: -1n, ignorable: true }),
    producerEpoch: int16({ versions: '5+', default: -1, ignorable: true }),
  },
});
