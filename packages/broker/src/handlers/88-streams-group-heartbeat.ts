import { clientHostOf } from '@weir/security';
import { type Apis, errors, type RequestOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { failedHeartbeat } from '../groups/failed-heartbeat.ts';
import { creationFailure } from '../groups/streams-internal-topics.ts';
import { streamsTopologyOf, topologyDenial } from '../groups/streams-topology.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** Kafka's codes of the reasons why members have no tasks. */
const statusCodes = {
  STALE_TOPOLOGY: 0,
  MISSING_SOURCE_TOPICS: 1,
  INCORRECTLY_PARTITIONED_TOPICS: 2,
  MISSING_INTERNAL_TOPICS: 3,
  SHUTDOWN_APPLICATION: 4,
  ASSIGNMENT_DELAYED: 5,
} as const;

/**
 * StreamsGroupHeartbeat v0. The control plane coordinates and assigns tasks; concurrent heartbeats go to it in one
 * call. This agent creates missing internal topics with the rights of the client, before it answers.
 *
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and members wait and stay
 *   in their group.
 * - Regular expressions as sources, warm-up tasks and task offsets are INVALID_REQUEST, as in Kafka 4.3. Static members
 *   are served, which Kafka 4.3 refuses.
 * - Topologies with an internal topic of the service, or a name that no topic can have, are STREAMS_INVALID_TOPOLOGY.
 * - Requires READ on the group, and DESCRIBE on all topics of the topology. Creating internal topics requires CREATE on
 *   them or on the cluster; without it, or if it fails, the detail of MISSING_INTERNAL_TOPICS says so.
 */
export function streamsGroupHeartbeatHandler({
  streamsHeartbeats,
}: GroupCalls): HandlerOf<Apis['StreamsGroupHeartbeat']> {
  return async (request, context) => {
    const { clientId, remoteAddress, access } = context;
    const { groupId, memberId, memberEpoch, topology } = request;
    const failed = (...failure: Parameters<typeof failedHeartbeat>) => ({
      ...failedHeartbeat(...failure),
      ...{
        memberId: '',
        acceptableRecoveryLag: 0,
        taskOffsetIntervalMs: 0,
        status: [],
        endpointInformationEpoch: 0,
      },
    });
    if (!access.may('READ', 'GROUP', groupId)) {
      return failed('GROUP_AUTHORIZATION_FAILED', errors.GROUP_AUTHORIZATION_FAILED.message);
    }
    const denial = topology === null ? undefined : topologyDenial(topology, access);
    if (denial !== undefined) return failed(denial.error, denial.message);
    const unsupported = unsupportedField(request);
    if (unsupported !== undefined) return failed('INVALID_REQUEST', unsupported);
    const { activeTasks, standbyTasks } = request;
    const answer = await coordinatorAnswer(
      streamsHeartbeats.ask({
        ...{ groupId, memberId, memberEpoch },
        endpointEpoch: request.endpointInformationEpoch,
        instanceId: request.instanceId,
        rackId: request.rackId,
        clientId: clientId ?? '',
        clientHost: clientHostOf(remoteAddress),
        rebalanceTimeoutMs: request.rebalanceTimeoutMs,
        topology: topology === null ? null : streamsTopologyOf(topology),
        owned:
          activeTasks === null || standbyTasks === null
            ? null
            : { active: activeTasks, standby: standbyTasks },
        processId: request.processId,
        endpoint: request.userEndpoint,
        clientTags:
          request.clientTags && Object.fromEntries(request.clientTags.map(({ key, value }) => [key, value])),
        shutdownApplication: request.shutdownApplication,
      }),
      context,
    );
    if (answer === undefined || answer.error !== 'NONE') {
      return failed(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS', answer?.message ?? null);
    }
    const failure = await creationFailure(answer.topicsToCreate, context);
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      memberId: answer.memberId,
      memberEpoch: answer.memberEpoch,
      heartbeatIntervalMs: answer.heartbeatIntervalMs,
      acceptableRecoveryLag: 0,
      taskOffsetIntervalMs: 0,
      status: answer.status.map(({ status, detail }) => ({
        statusCode: statusCodes[status],
        statusDetail:
          status === 'MISSING_INTERNAL_TOPICS' && failure !== undefined ? `${detail}; ${failure}` : detail,
      })),
      activeTasks: answer.tasks?.active ?? null,
      standbyTasks: answer.tasks?.standby ?? null,
      warmupTasks: answer.tasks === null ? null : [],
      endpointInformationEpoch: answer.endpointEpoch,
      partitionsByUserEndpoint:
        answer.endpoints?.map(({ endpoint, active, standby }) => ({
          userEndpoint: endpoint,
          activePartitions: active,
          standbyPartitions: standby,
        })) ?? null,
    };
  };
}

/** Names a field that Kafka 4.3 defines and does not serve, or a list that is missing beside the others. */
function unsupportedField(request: RequestOf<Apis['StreamsGroupHeartbeat']>): string | undefined {
  const { topology, activeTasks, standbyTasks, warmupTasks, taskOffsets, taskEndOffsets } = request;
  if (taskOffsets !== null) return 'TaskOffsets are not supported yet.';
  if (taskEndOffsets !== null) return 'TaskEndOffsets are not supported yet.';
  if (warmupTasks !== null && warmupTasks.length > 0) return 'WarmupTasks are not supported yet.';
  if (topology?.subtopologies.some(({ sourceTopicRegex }) => sourceTopicRegex.length > 0) === true) {
    return 'Regular expressions for source topics are not supported yet.';
  }
  const kinds = [activeTasks, standbyTasks, warmupTasks];
  if (kinds.some((tasks) => tasks === null) && kinds.some((tasks) => tasks !== null)) {
    return 'If one task-type is non-null, all must be non-null.';
  }
  return undefined;
}
