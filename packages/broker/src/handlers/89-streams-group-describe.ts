import type { StreamsGroupDescription, StreamsInternalTopic, StreamsTasks } from '@weir/cluster';
import { type Access, operationsNotRequested } from '@weir/security';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * StreamsGroupDescribe v0.
 *
 * - A group that does not exist, or has another type, is GROUP_ID_NOT_FOUND.
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires DESCRIBE on each group, and on all topics of its topology (TOPIC_AUTHORIZATION_FAILED).
 */
export const streamsGroupDescribeHandler: HandlerOf<Apis['StreamsGroupDescribe']> = async (
  request,
  context,
) => {
  const { access, cluster } = context;
  const isShown = request.groupIds.map((groupId) => access.may('DESCRIBE', 'GROUP', groupId));
  const shown = request.groupIds.filter((_, index) => isShown[index]);
  const described =
    shown.length === 0 ? [] : await coordinatorAnswer(cluster.port.describeStreamsGroups(shown), context);
  let next = 0;
  const groups = request.groupIds.map((groupId, index) => {
    if (!isShown[index]) return failed(groupId, 'GROUP_AUTHORIZATION_FAILED');
    const group = described?.[next++];
    if (group === undefined) return failed(groupId, 'COORDINATOR_LOAD_IN_PROGRESS');
    if (group.error !== 'NONE') return failed(groupId, group.error);
    if (!seesTopicsOf(group, access)) return failed(groupId, 'TOPIC_AUTHORIZATION_FAILED');
    return {
      errorCode: errors.NONE.code,
      errorMessage: null,
      groupId,
      groupState: group.state,
      groupEpoch: group.epoch,
      assignmentEpoch: group.assignmentEpoch,
      topology: topologyOf(group),
      members: group.members.map((member) => ({
        memberId: member.memberId,
        memberEpoch: member.epoch,
        instanceId: member.instanceId,
        rackId: member.rackId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        topologyEpoch: member.topologyEpoch,
        processId: member.processId,
        userEndpoint: member.endpoint,
        clientTags: keyValues(member.clientTags),
        taskOffsets: [],
        taskEndOffsets: [],
        assignment: tasksOf(member.assigned),
        targetAssignment: tasksOf(member.target),
        isClassic: false,
      })),
      authorizedOperations: request.includeAuthorizedOperations
        ? access.operationsOn('GROUP', groupId)
        : operationsNotRequested,
    };
  });
  return { throttleTimeMs: 0, groups };
};

function topologyOf({ topology }: StreamsGroupDescription) {
  if (topology === undefined) return null;
  return {
    epoch: topology.epoch,
    subtopologies: topology.subtopologies.map((subtopology) => ({
      subtopologyId: subtopology.subtopologyId,
      sourceTopics: subtopology.sourceTopics,
      repartitionSinkTopics: subtopology.repartitionSinkTopics,
      stateChangelogTopics: subtopology.changelogTopics.map(topicOf),
      repartitionSourceTopics: subtopology.repartitionSourceTopics.map(topicOf),
    })),
  };
}

function topicOf({ name, partitionCount, replicationFactor, configs }: StreamsInternalTopic) {
  return { name, partitions: partitionCount, replicationFactor, topicConfigs: keyValues(configs) };
}

function tasksOf({ active, standby }: StreamsTasks) {
  return { activeTasks: active, standbyTasks: standby, warmupTasks: [] };
}

function keyValues(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([key, value]) => ({ key, value }));
}

function seesTopicsOf({ topology }: StreamsGroupDescription, access: Access): boolean {
  const names = new Set<string>();
  for (const subtopology of topology?.subtopologies ?? []) {
    for (const name of subtopology.sourceTopics) names.add(name);
    for (const name of subtopology.repartitionSinkTopics) names.add(name);
    for (const { name } of subtopology.repartitionSourceTopics) names.add(name);
    for (const { name } of subtopology.changelogTopics) names.add(name);
  }
  for (const name of names) if (!access.may('DESCRIBE', 'TOPIC', name)) return false;
  return true;
}

function failed(groupId: string, error: ErrorName) {
  return {
    errorCode: errors[error].code,
    errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null,
    groupId,
    groupState: '',
    groupEpoch: 0,
    assignmentEpoch: 0,
    topology: null,
    members: [],
    authorizedOperations: operationsNotRequested,
  };
}
