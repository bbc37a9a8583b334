import { clusterResourceName } from '@weir/core';
import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * ListGroups v0 to v5. Every agent lists all groups of the cluster: Kafka clients query all brokers, merge the answers
 * and deduplicate the groups.
 *
 * Types are spelled as in Kafka, in lower case; filters by type and state are not sensitive to case.
 *
 * A client with DESCRIBE on the cluster gets all groups; any other client gets the groups that it may DESCRIBE.
 */
export const listGroupsHandler: HandlerOf<Apis['ListGroups']> = async (request, context) => {
  const { cluster, access } = context;
  const filter = { states: request.statesFilter, types: request.typesFilter };
  const seesAll = access.mayQuietly('DESCRIBE', 'CLUSTER', clusterResourceName);
  const listed = await coordinatorAnswer(cluster.port.listGroups(filter), context);
  const groups = seesAll
    ? listed
    : listed?.filter(({ groupId }) => access.mayQuietly('DESCRIBE', 'GROUP', groupId));
  return {
    throttleTimeMs: 0,
    errorCode: errors[groups === undefined ? 'COORDINATOR_LOAD_IN_PROGRESS' : 'NONE'].code,
    groups: (groups ?? []).map(({ groupId, protocolType, state, type }) => ({
      groupId,
      protocolType,
      groupState: state,
      groupType: type,
    })),
  };
};
