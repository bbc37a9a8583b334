import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import type { ClientTelemetry } from '../telemetry/client-telemetry.ts';
import type { ConnectedClients } from '../telemetry/connected-clients.ts';

/**
 * PushTelemetry v0: receives the metrics of a client, which are written to the log of the agent (telemetry/).
 *
 * - INVALID_REQUEST for a client without an id, or one that has already sent its last push.
 * - A push before the interval is over is THROTTLING_QUOTA_EXCEEDED, unless it is the last one.
 * - UNKNOWN_SUBSCRIPTION_ID if the subscriptions have changed, UNSUPPORTED_COMPRESSION_TYPE, TELEMETRY_TOO_LARGE for
 *   the size as sent and decompressed, and INVALID_RECORD for a payload that cannot be parsed.
 */
export function pushTelemetryHandler(
  telemetry: ClientTelemetry,
  clients: ConnectedClients,
): HandlerOf<Apis['PushTelemetry']> {
  return async ({ clientInstanceId, subscriptionId, terminating, compressionType, metrics }, context) => {
    const client = clients.clientOf(clientInstanceId, context);
    const push = { subscriptionId, isLast: terminating, compressionType, metrics };
    const error = await telemetry.push(client, push, context);
    return { throttleTimeMs: 0, errorCode: errors[error].code };
  };
}
