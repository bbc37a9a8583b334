import { type Apis, errors } from '@weir/wire';
import type { PlacementOf } from './described-agents.ts';
import type { HandlerOf } from './handler.ts';

/**
 * FindCoordinator v0 to v6: the agent that is asked coordinates whatever it is asked about, because the state of groups and
 * transactions is in the control plane and every agent reaches it.
 *
 * - Key types are 0 (group), 1 (transactional id) and, from v6 on, 2 (share partition); any other is INVALID_REQUEST.
 * - Up to v3 one key, answered at the top level; from v4 on many, answered in their order.
 * - The address is the one that the client was told in Metadata.
 *
 * Missing: ACLs.
 */
export function findCoordinatorHandler(placementOf: PlacementOf): HandlerOf<Apis['FindCoordinator']> {
  return (request, context) => {
    const { apiVersion } = context;
    const placement = placementOf(context);
    const knownTypes = apiVersion >= 6 ? [0, 1, 2] : [0, 1];
    const isKnown = knownTypes.includes(request.keyType);
    const coordinator = isKnown
      ? {
          nodeId: placement.controller.nodeId,
          host: placement.hostOf(placement.controller),
          port: placement.controller.kafkaPort,
          errorCode: errors.NONE.code,
          errorMessage: null,
        }
      : {
          nodeId: -1,
          host: '',
          port: -1,
          errorCode: errors.INVALID_REQUEST.code,
          errorMessage: `the key type ${request.keyType} is not one of ${knownTypes.join(', ')}`,
        };
    if (apiVersion <= 3) return coordinator;
    return { coordinators: request.coordinatorKeys.map((key) => ({ key, ...coordinator })) };
  };
}
