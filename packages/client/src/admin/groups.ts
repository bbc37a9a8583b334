import { consumerProtocolType, type NamedPartitions, readAssignment } from '@weir/cluster/assignors';
import { apis, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { type Coordinator, findCoordinator } from '../coordinator.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { requestFromBrokers } from './brokers.ts';

export interface GroupMemberDescription {
  readonly memberId: string;
  /** `group.instance.id` of a static member. */
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  /** The current assignment. */
  readonly partitions: readonly NamedPartitions[];
}

export interface GroupDescription {
  readonly groupId: string;
  readonly type: 'classic' | 'consumer' | 'share' | 'streams';
  /** As the broker spells it: `Stable`, `Empty` and so on. */
  readonly state: string;
  /** The assignor; empty if none is chosen yet. */
  readonly assignor: string;
  readonly coordinator: Coordinator;
  readonly members: readonly GroupMemberDescription[];
}

/** The groups of the cluster, by name. Each broker lists the groups that it coordinates. */
export async function listGroupIds(cluster: KafkaCluster): Promise<readonly string[]> {
  const lists = await requestFromBrokers(cluster, async (connection) => {
    const { errorCode, groups } = await connection.request(
      apis.ListGroups,
      {},
      { timeoutMs: cluster.timeoutMs },
    );
    if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed('ListGroups', errorCode);
    return groups;
  });
  const ids = new Set(lists.flatMap(({ answer }) => answer.map(({ groupId }) => groupId)));
  return [...ids].sort();
}

/** Describes a group of any type. Throws `KafkaRequestFailed` when there is none. */
export function describeGroup(cluster: KafkaCluster, groupId: string): Promise<GroupDescription> {
  return cluster.retrying(async () => {
    const coordinator = await findCoordinator(cluster, groupId);
    const connection = await cluster.connectionTo(coordinator);
    // Each API answers for one group type only, and only the broker knows the type of this group.
    for (const describe of [describeConsumerGroup, describeClassicGroup, describeShareGroup]) {
      const found = await describe(connection, groupId, cluster.timeoutMs);
      if (found !== undefined) return { ...found, coordinator };
    }
    throw new KafkaRequestFailed(`group ${groupId}`, errors.GROUP_ID_NOT_FOUND.code);
  });
}

/** A group that only has offsets, because its consumers assign partitions manually, may have no description. */
export async function describeGroupIfKnown(
  cluster: KafkaCluster,
  groupId: string,
): Promise<GroupDescription | undefined> {
  try {
    return await describeGroup(cluster, groupId);
  } catch (error) {
    if (error instanceof KafkaRequestFailed && error.code === errors.GROUP_ID_NOT_FOUND.code)
      return undefined;
    throw error;
  }
}

type Described = Omit<GroupDescription, 'coordinator'>;

async function describeConsumerGroup(
  connection: KafkaConnection,
  groupId: string,
  timeoutMs: number,
): Promise<Described | undefined> {
  const api = apis.ConsumerGroupDescribe;
  if (!connection.offers(api)) return undefined;
  const body = { groupIds: [groupId], includeAuthorizedOperations: false };
  const [group] = (await connection.request(api, body, { timeoutMs })).groups;
  if (!isThere(groupId, group)) return undefined;
  const { groupState: state, assignorName: assignor, members } = group;
  return { groupId, type: 'consumer', state, assignor, members: members.map(describedMember) };
}

async function describeShareGroup(
  connection: KafkaConnection,
  groupId: string,
  timeoutMs: number,
): Promise<Described | undefined> {
  const api = apis.ShareGroupDescribe;
  if (!connection.offers(api)) return undefined;
  const body = { groupIds: [groupId], includeAuthorizedOperations: false };
  const [group] = (await connection.request(api, body, { timeoutMs })).groups;
  if (!isThere(groupId, group)) return undefined;
  const { groupState: state, assignorName: assignor, members } = group;
  return { groupId, type: 'share', state, assignor, members: members.map(describedMember) };
}

/** Before v6 a group that does not exist is `Dead`, without an error. */
const deadState = 'Dead';

async function describeClassicGroup(
  connection: KafkaConnection,
  groupId: string,
  timeoutMs: number,
): Promise<Described | undefined> {
  const [group] = (await connection.request(apis.DescribeGroups, { groups: [groupId] }, { timeoutMs }))
    .groups;
  if (!isThere(groupId, group) || group.groupState === deadState) return undefined;
  const { groupState: state, protocolData: assignor, protocolType } = group;
  const members = group.members.map((member) => {
    const { memberId, groupInstanceId: instanceId, clientId, clientHost, memberAssignment } = member;
    // Members of other protocol types use formats of their own.
    const assigned = protocolType === consumerProtocolType ? readAssignment(memberAssignment) : undefined;
    return { memberId, instanceId, clientId, clientHost, partitions: assigned ?? [] };
  });
  return { groupId, type: 'classic', state, assignor, members };
}

interface AnsweredMember {
  readonly memberId: string;
  readonly instanceId?: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly assignment: {
    readonly topicPartitions: readonly {
      readonly topicName: string;
      readonly partitions: readonly number[];
    }[];
  };
}

function describedMember(member: AnsweredMember): GroupMemberDescription {
  const { memberId, instanceId = null, clientId, clientHost, assignment } = member;
  const partitions = assignment.topicPartitions.map(({ topicName: topic, partitions: indexes }) => ({
    topic,
    partitions: indexes,
  }));
  return { memberId, instanceId, clientId, clientHost, partitions };
}

interface AnsweredGroup {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

/** Whether the answer describes a group. Any error except its absence is thrown. */
function isThere<Group extends AnsweredGroup>(groupId: string, group: Group | undefined): group is Group {
  const code = group?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code;
  if (code === errors.GROUP_ID_NOT_FOUND.code) return false;
  if (code !== errors.NONE.code) {
    throw new KafkaRequestFailed(`group ${groupId}`, code, group?.errorMessage);
  }
  return true;
}
