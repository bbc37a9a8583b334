import { type Apis, errors } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { acceptedCodecs, type ClientTelemetry } from '../telemetry/client-telemetry.ts';
import type { ConnectedClients } from '../telemetry/connected-clients.ts';

/**
 * GetTelemetrySubscriptions v0: returns the metrics that the subscriptions of the cluster request from this client, and
 * the push interval. ApiVersions advertises it only while a subscription requests metrics.
 *
 * A client that asks before its interval is over is THROTTLING_QUOTA_EXCEEDED, unless its last error requires it to
 * subscribe again.
 */
export function getTelemetrySubscriptionsHandler(
  telemetry: ClientTelemetry,
  clients: ConnectedClients,
): HandlerOf<Apis['GetTelemetrySubscriptions']> {
  return ({ clientInstanceId }, context) => {
    const { error, instanceId, wanted } = telemetry.subscribe(clients.clientOf(clientInstanceId, context));
    return {
      throttleTimeMs: 0,
      errorCode: errors[error].code,
      clientInstanceId: instanceId,
      subscriptionId: wanted.subscriptionId,
      acceptedCompressionTypes: acceptedCodecs,
      pushIntervalMs: wanted.pushIntervalMs,
      telemetryMaxBytes: brokerLimits.telemetryBytesMax,
      deltaTemporality: true,
      requestedMetrics: wanted.prefixes,
    };
  };
}
