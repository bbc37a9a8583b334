import { int16, int32, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/** An admin client has the cluster forget a broker that is gone (KIP-500). Flexible from the start. */
export const unregisterBroker = defineApi({
  key: 64,
  name: 'UnregisterBroker',
  versions: '0',
  flexible: '0+',
  request: { brokerId: int32() },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
  },
});
