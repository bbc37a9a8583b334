import type { GroupType } from '@weir/cluster';
import { clusterResourceName } from '@weir/core';
import { type Apis, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** As Kafka writes them. */
const typeNames: Readonly<Record<GroupType, string>> = {
  classic: 'Classic',
  consumer: 'Consumer',
  share: 'Share',
};

/**
 * ListGroups v0 to v5. Every agent lists all groups of the cluster: Kafka's clients ask all brokers and put the answers together,
 * and take a group that they hear of more than once as one.
 *
 * Who may DESCRIBE the cluster is told of all groups, and everybody else of those that they may DESCRIBE.
 */
export const listGroupsHandler: HandlerOf<Apis['ListGroups']> = async (request, { cluster, access }) => {
  const filter = { states: request.statesFilter, types: request.typesFilter };
  const seesAll = access.mayQuietly('DESCRIBE', 'CLUSTER', clusterResourceName);
  const listed = await ifAvailable(cluster.port.listGroups(filter));
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
      groupType: typeNames[type],
    })),
  };
};
