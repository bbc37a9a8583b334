import { bool, int16, int32, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const initProducerId = defineApi({
  key: 22,
  name: 'InitProducerId',
  versions: '0-6',
  flexible: '2+',
  highestStableVersion: 5,
  request: {
    transactionalId: string({ nullable: true }),
    transactionTimeoutMs: int32(),
    producerId: int64({ versions: '3+', default: -1n }),
    producerEpoch: int16({ versions: '3+', default: -1 }),
    enable2Pc: bool({ versions: '6+', default: false }),
    keepPreparedTxn: bool({ versions: '6+', default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    producerId: int64({ default: -1n }),
    producerEpoch: int16(),
    ongoingTxnProducerId: int64({ versions: '6+', default: -1n }),
    ongoingTxnProducerEpoch: int16({ versions: '6+', default: -1 }),
  },
});
