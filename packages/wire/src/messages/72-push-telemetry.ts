import { bool, bytes, int8, int16, int32, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const pushTelemetry = defineApi({
  key: 72,
  name: 'PushTelemetry',
  versions: '0',
  flexible: '0+',
  request: {
    clientInstanceId: uuid(),
    subscriptionId: int32(),
    terminating: bool(),
    compressionType: int8(),
    metrics: bytes(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
  },
});
