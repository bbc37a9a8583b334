import type { ClusterPort, ModernMemberDescription, PartitionsOfTopic } from '@weir/cluster';
import { type Access, operationsNotRequested } from '@weir/security';
import { type ErrorName, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { RequestContext } from '../requests/handler.ts';

interface DescribedAssignment {
  readonly topicPartitions: readonly { readonly topicName: string }[];
}

/** A member of a group as its description shows it. */
interface DescribedMember {
  readonly subscribedTopicNames: readonly string[] | null;
  readonly assignment: DescribedAssignment;
  readonly targetAssignment?: DescribedAssignment;
}

/** A group as the cluster describes it, of any type. */
interface GroupDescription {
  readonly error: 'NONE' | ErrorName;
  readonly state: string;
  readonly epoch: number;
  readonly assignmentEpoch: number;
  readonly assignor: string;
}

interface GroupsToDescribe {
  readonly groupIds: readonly string[];
  readonly includeAuthorizedOperations: boolean;
}

/** One type of groups. */
interface GroupsOfType<Group, Member> {
  /** Calls the control plane. */
  readonly describe: (port: ClusterPort, groupIds: readonly string[]) => Promise<readonly Group[]>;
  readonly membersOf: (group: Group) => readonly Member[];
}

/**
 * Describes groups of one type, as far as the client may see them: it needs DESCRIBE on each group, and on all topics
 * that its members subscribe to or are assigned. Authorized operations of a group are included only if there is no
 * error.
 */
export async function describedGroups<Group extends GroupDescription, Member extends DescribedMember>(
  { groupIds, includeAuthorizedOperations }: GroupsToDescribe,
  context: RequestContext,
  { describe, membersOf }: GroupsOfType<Group, Member>,
) {
  const { access, cluster } = context;
  const isShown = groupIds.map((groupId) => access.may('DESCRIBE', 'GROUP', groupId));
  const shown = groupIds.filter((_, index) => isShown[index]);
  const described = shown.length === 0 ? [] : await coordinatorAnswer(describe(cluster.port, shown), context);
  let next = 0;
  const groups = groupIds.map((groupId, index) => {
    if (!isShown[index]) return failed(groupId, 'GROUP_AUTHORIZATION_FAILED');
    const group = described?.[next++];
    if (group === undefined) return failed(groupId, 'COORDINATOR_LOAD_IN_PROGRESS');
    if (group.error !== 'NONE') return failed(groupId, group.error);
    const members = membersOf(group);
    if (!seesTopicsOf(members, access)) return failed(groupId, 'TOPIC_AUTHORIZATION_FAILED');
    return {
      errorCode: errors.NONE.code,
      errorMessage: null,
      groupId,
      groupState: group.state,
      groupEpoch: group.epoch,
      assignmentEpoch: group.assignmentEpoch,
      assignorName: group.assignor,
      members,
      authorizedOperations: includeAuthorizedOperations
        ? access.operationsOn('GROUP', groupId)
        : operationsNotRequested,
    };
  });
  return { throttleTimeMs: 0, groups };
}

/** A member, as far as groups of all types describe it. */
export function describedMember(member: ModernMemberDescription, { cluster }: RequestContext) {
  const { memberId, rackId, epoch, clientId, clientHost, subscribedTopicNames, assigned } = member;
  return {
    memberId,
    rackId,
    memberEpoch: epoch,
    clientId,
    clientHost,
    subscribedTopicNames,
    assignment: { topicPartitions: namedPartitions(assigned, cluster) },
  };
}

/** Deleted topics have no name, and are left out until the member has given them up. */
export function namedPartitions(partitions: readonly PartitionsOfTopic[], cluster: ClusterView) {
  return partitions.flatMap((topic) => {
    const topicName = cluster.topicById(topic.topicId)?.name;
    return topicName === undefined ? [] : [{ ...topic, topicName }];
  });
}

function failed(groupId: string, error: ErrorName) {
  return {
    errorCode: errors[error].code,
    errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null,
    groupId,
    groupState: '',
    groupEpoch: 0,
    assignmentEpoch: 0,
    assignorName: '',
    members: [],
    authorizedOperations: operationsNotRequested,
  };
}

/** Whether the client may DESCRIBE every topic that the description of a group would name. */
function seesTopicsOf(members: readonly DescribedMember[], access: Access): boolean {
  const names = new Set<string>();
  for (const { subscribedTopicNames, assignment, targetAssignment } of members) {
    for (const name of subscribedTopicNames ?? []) names.add(name);
    for (const { topicName } of assignment.topicPartitions) names.add(topicName);
    for (const { topicName } of targetAssignment?.topicPartitions ?? []) names.add(topicName);
  }
  for (const name of names) if (!access.may('DESCRIBE', 'TOPIC', name)) return false;
  return true;
}
