import { bool, int8, int16, int32, listOf, string, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const getTelemetrySubscriptions = defineApi({
  key: 71,
  name: 'GetTelemetrySubscriptions',
  versions: '0',
  flexible: '0+',
  request: {
    clientInstanceId: uuid(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    clientInstanceId: uuid(),
    subscriptionId: int32(),
    acceptedCompressionTypes: listOf(int8),
    pushIntervalMs: int32(),
    telemetryMaxBytes: int32(),
    deltaTemporality: bool(),
    requestedMetrics: listOf(string),
  },
});
