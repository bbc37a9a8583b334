import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type ResponseOf } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * UnregisterBroker v0. Agents register with their heartbeats and are forgotten without them, so that there is never one
 * to unregister.
 *
 * - An agent that runs is POLICY_VIOLATION: it would register again at once.
 * - Any other id is BROKER_ID_NOT_REGISTERED, as in Apache Kafka after the broker was unregistered.
 * - Requires ALTER on the cluster.
 */
export const unregisterBrokerHandler: HandlerOf<Apis['UnregisterBroker']> = ({ brokerId }, context) => {
  if (!mayOnCluster(context.access, 'ALTER')) return answer('CLUSTER_AUTHORIZATION_FAILED');
  const isRunning = context.cluster.agents().some(({ nodeId }) => nodeId === brokerId);
  if (isRunning)
    return answer('POLICY_VIOLATION', `agent ${brokerId} is running; stop it and it is forgotten by itself`);
  return answer('BROKER_ID_NOT_REGISTERED', `no agent has the id ${brokerId}`);
};

function answer(
  error: ErrorName,
  errorMessage: string | null = errors[error].message,
): ResponseOf<Apis['UnregisterBroker']> {
  return { throttleTimeMs: 0, errorCode: errors[error].code, errorMessage };
}
