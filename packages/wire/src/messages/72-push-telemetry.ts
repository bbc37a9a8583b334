import { bool, bytes, int8, int16, int32, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client delivers the metrics that GetTelemetrySubscriptions has requested (KIP-714).
 *
 * v0 is the only version. An outdated subscription is UNKNOWN_SUBSCRIPTION_ID, and the client asks again; too much data
 * is TELEMETRY_TOO_LARGE.
 */
export const pushTelemetry = defineApi({
  key: 72,
  name: 'PushTelemetry',
  versions: '0',
  flexible: '0+',
  request: {
    clientInstanceId: uuid(),
    subscriptionId: int32(),
    /** The last push, which may come before the interval has elapsed. */
    terminating: bool(),
    /** 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd. */
    compressionType: int8(),
    /** MetricsData of OpenTelemetry in protobuf, compressed. */
    metrics: bytes(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
  },
});
