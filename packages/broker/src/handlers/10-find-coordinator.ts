import { type Access, mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf } from '@weir/wire';
import type { SettledAgents } from '../cluster-calls/settled-agents.ts';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';

/**
 * FindCoordinator v0 to v6. Every agent could coordinate everything, because the state of groups and transactions is in
 * the control plane.
 *
 * - The coordinator of a group is the agent that serves the request, which is certainly alive.
 * - The coordinator of a transactional id is the same whichever agent is asked, among those that the client sees:
 *   producers such as kafkajs look for it before every request, and use one connection only if the answer is the same
 *   (ADR 0076).
 *
 * - Key types are 0 (group), 1 (transactional id) and, from v6 on, 2 (share partition); any other is INVALID_REQUEST,
 *   and so is the key of a share partition that is not `group:topic id:partition`.
 * - Up to v3 there is one key, answered at the top level; from v4 on there are many, answered in their order.
 * - The address is the same as in Metadata. A producer that looks for another coordinator may do so because one died,
 *   which this agent then learns first.
 * - Requires DESCRIBE on the group or on the transactional id. Coordinators of share partitions are internal to the
 *   cluster and require CLUSTER_ACTION.
 */
export function findCoordinatorHandler(
  placementOf: PlacementOf,
  settledAgents?: SettledAgents,
): HandlerOf<Apis['FindCoordinator']> {
  return (request, context) => {
    const settled = request.keyType === keyTypes.transactionalId ? settledAgents?.settle(context) : undefined;
    return settled === undefined
      ? answerTo(request, context)
      : settled.then(() => answerTo(request, context));
  };

  function answerTo(request: Request, context: RequestContext): ResponseOf<Apis['FindCoordinator']> {
    const { apiVersion, access } = context;
    const { keyType } = request;
    const placement = placementOf(context);
    const knownTypes = apiVersion >= shareFromVersion ? Object.values(keyTypes) : [0, 1];

    function coordinatorOf(key: string) {
      if (!knownTypes.includes(keyType)) {
        return refused(
          'INVALID_REQUEST',
          `unknown key type ${keyType}; expected one of ${knownTypes.join(', ')}`,
        );
      }
      const denial = denialOf(keyType, key, access);
      if (denial !== undefined) return refused(denial, errors[denial].message);
      if (keyType === keyTypes.sharePartition && !isSharePartition(key)) {
        return refused('INVALID_REQUEST', `${key} is not a group, the id of a topic and a partition`);
      }
      const agent =
        keyType === keyTypes.transactionalId ? placement.coordinatorOf(key) : placement.controller;
      return {
        nodeId: agent.nodeId,
        host: placement.hostOf(agent),
        port: agent.kafkaPort,
        errorCode: errors.NONE.code,
        errorMessage: null,
      };
    }

    if (apiVersion < manyKeysFromVersion) return coordinatorOf(request.key);
    return { coordinators: request.coordinatorKeys.map((key) => ({ key, ...coordinatorOf(key) })) };
  }
}

type Request = RequestOf<Apis['FindCoordinator']>;

const manyKeysFromVersion = 4;
const shareFromVersion = 6;

/** Protocol values. */
const keyTypes = { group: 0, transactionalId: 1, sharePartition: 2 } as const;

/** Group ids may have colons. */
function isSharePartition(key: string): boolean {
  return /^.+:[\w-]{22}:\d{1,10}$/s.test(key);
}

function denialOf(keyType: number, key: string, access: Access): ErrorName | undefined {
  switch (keyType) {
    case keyTypes.group:
      return access.may('DESCRIBE', 'GROUP', key) ? undefined : 'GROUP_AUTHORIZATION_FAILED';
    case keyTypes.transactionalId:
      return access.may('DESCRIBE', 'TRANSACTIONAL_ID', key)
        ? undefined
        : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
    default:
      return mayOnCluster(access, 'CLUSTER_ACTION') ? undefined : 'CLUSTER_AUTHORIZATION_FAILED';
  }
}

function refused(error: ErrorName, errorMessage: string) {
  return { nodeId: -1, host: '', port: -1, errorCode: errors[error].code, errorMessage };
}
