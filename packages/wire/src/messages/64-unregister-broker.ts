import { int16, int32, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client has a broker forgotten that will not come back.
 *
 * v0 is the only version.
 * A server whose brokers hold no data of their own has nothing to forget and need not offer it.
 */
export const unregisterBroker = defineApi({
  key: 64,
  name: 'UnregisterBroker',
  versions: '0',
  flexible: '0+',
  request: {
    brokerId: int32(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
  },
});
