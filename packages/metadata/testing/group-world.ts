import type { JoinGroupRequest, OffsetsCommit, SyncGroupRequest } from '@weir/cluster';
import { type Log, silentLog } from '@weir/core';
import type { ClusterNode } from '../src/leader/cluster-node.ts';
import { type ControlPlane, ControlPlanes } from './control-planes.ts';

/** Control-plane processes for tests of groups: ids of members are numbers. */
export class GroupWorld {
  readonly #planes = new ControlPlanes();
  readonly clock = this.#planes.clock;
  #ids = 0;

  /** The first started process leads. */
  start(id: string, log: Log = silentLog): Promise<ControlPlane> {
    return this.#planes.startLeader(id, { log, freshId: () => `${++this.#ids}`.padStart(22, '0') });
  }
}

/** Removes the delays of the first rebalance of classic groups and between assignments of others. */
export async function withoutDelay(node: ClusterNode): Promise<void> {
  await node.execute({
    kind: 'alterClusterConfigs',
    configs: {
      'group.initial.rebalance.delay.ms': '0',
      'group.consumer.assignment.interval.ms': '0',
      'group.share.assignment.interval.ms': '0',
    },
  });
}

export async function createTopic(node: ClusterNode, name: string, partitionCount = 4): Promise<string> {
  const topics = [{ name, partitionCount, configs: {} }];
  const [created] = await node.createTopics(topics, { validateOnly: false });
  return created!.topic!.topicId;
}

export function joinOf(groupId: string, overrides: Partial<JoinGroupRequest> = {}): JoinGroupRequest {
  return {
    groupId,
    memberId: '',
    groupInstanceId: null,
    clientId: 'client',
    clientHost: '/127.0.0.1',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 60_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: subscriptionTo('t') }],
    requiresKnownMemberId: false,
    supportsSkipAssignment: false,
    reason: null,
    ...overrides,
  };
}

export function syncOf(
  groupId: string,
  memberId: string,
  generationId: number,
  overrides: Partial<SyncGroupRequest> = {},
): SyncGroupRequest {
  return {
    groupId,
    memberId,
    generationId,
    groupInstanceId: null,
    protocolType: null,
    protocolName: null,
    assignments: [],
    ...overrides,
  };
}

/** A commit without membership; offsets as `partition: offset`. */
export function commitOf(
  groupId: string,
  topicId: string,
  offsets: Readonly<Record<number, number>>,
  overrides: Partial<OffsetsCommit> = {},
): OffsetsCommit {
  return {
    groupId,
    memberId: '',
    generationIdOrMemberEpoch: -1,
    groupInstanceId: null,
    retentionMs: -1,
    offsets: Object.entries(offsets).map(([partition, offset]) => ({
      topicId,
      partition: Number(partition),
      offset,
      leaderEpoch: 0,
      metadata: '',
    })),
    ...overrides,
  };
}

/** The metadata of a consumer: version 1 and its subscribed topics. */
export function subscriptionTo(...topics: string[]): Uint8Array {
  const head = Buffer.alloc(6);
  head.writeInt16BE(1, 0);
  head.writeInt32BE(topics.length, 2);
  const names = topics.map((topic) => Buffer.concat([Buffer.from([0, topic.length]), Buffer.from(topic)]));
  return Buffer.concat([head, ...names]);
}

export interface Joined {
  readonly memberIds: readonly string[];
  readonly generationId: number;
}

/** A stable group whose members were assigned their own number, in the order of `memberIds`; the first leads. */
export async function stableGroup(node: ClusterNode, groupId: string, size: number): Promise<Joined> {
  const first = await node.joinGroup(joinOf(groupId));
  const others = Array.from({ length: size - 1 }, () => node.joinGroup(joinOf(groupId)));
  const leader = size === 1 ? first : await node.joinGroup(joinOf(groupId, { memberId: first.memberId }));
  const joined = [leader, ...(await Promise.all(others))];
  const { generationId } = leader;
  const memberIds = joined.map(({ memberId }) => memberId);
  const syncs = memberIds.map((memberId, index) => {
    const assignments =
      index > 0 ? [] : memberIds.map((id, row) => ({ memberId: id, assignment: Buffer.from(`${row}`) }));
    return node.syncGroup(syncOf(groupId, memberId, generationId, { assignments }));
  });
  await Promise.all(syncs);
  return { memberIds, generationId };
}
