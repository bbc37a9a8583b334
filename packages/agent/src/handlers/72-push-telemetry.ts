import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import type { ClientTelemetry } from '../telemetry/client-telemetry.ts';
import type { ConnectedClients } from '../telemetry/connected-clients.ts';

/**
 * PushTelemetry v0: the metrics of a client, which end in the log of the agent (telemetry/).
 *
 * - A client without an id, or one that has said before that it ends, is INVALID_REQUEST.
 * - A push before the interval is over is THROTTLING_QUOTA_EXCEEDED, unless it is the last one.
 * - UNKNOWN_SUBSCRIPTION_ID when the subscriptions have changed since, UNSUPPORTED_COMPRESSION_TYPE, TELEMETRY_TOO_LARGE as sent and
 *   as inflated, and INVALID_RECORD for what cannot be read.
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
