import { type Apis, errors } from '@weir/wire';
import { agentLimits } from '../limits.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { acceptedCodecs, type ClientTelemetry } from '../telemetry/client-telemetry.ts';
import type { ConnectedClients } from '../telemetry/connected-clients.ts';

/**
 * GetTelemetrySubscriptions v0: which metrics the subscriptions of the cluster want of this client, and how often. ApiVersions tells
 * of it only while there is a subscription to some metrics.
 *
 * A client that asks before its interval is over, and was not sent here by an error, is THROTTLING_QUOTA_EXCEEDED.
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
      telemetryMaxBytes: agentLimits.telemetryBytesMax,
      deltaTemporality: true,
      requestedMetrics: wanted.prefixes,
    };
  };
}
