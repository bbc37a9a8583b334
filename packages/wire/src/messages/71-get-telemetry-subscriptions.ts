import { bool, int8, int16, int32, listOf, string, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client asks which of its metrics the server wants (KIP-714).
 *
 * v0 is the only version.
 * Advertising it makes Java clients since 3.7 and librdkafka since 2.5 push: leave it out unless the metrics are
 * consumed.
 */
export const getTelemetrySubscriptions = defineApi({
  key: 71,
  name: 'GetTelemetrySubscriptions',
  versions: '0',
  flexible: '0+',
  request: {
    /** Zero in the first request, for the server to assign one. */
    clientInstanceId: uuid(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    clientInstanceId: uuid(),
    /** Changes with the subscription; PushTelemetry repeats it. */
    subscriptionId: int32(),
    /** 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd; the preferred one first. */
    acceptedCompressionTypes: listOf(int8),
    pushIntervalMs: int32(),
    telemetryMaxBytes: int32(),
    /** True for differences since the last push, false for totals. */
    deltaTemporality: bool(),
    /** Prefixes of names: an empty list for no metrics, one empty string for all. */
    requestedMetrics: listOf(string),
  },
});
