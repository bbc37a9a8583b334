import {
  type ClusterPort,
  consumerProtocolType,
  type GroupListing,
  type GroupStateName,
  type GroupType,
  groupTypes,
  type PartitionsOfTopic,
  readAssignment,
  type TopicReference,
} from '@weir/cluster';
import { readTopicsWithEnds, type TopicLookup } from './cluster-reads.ts';
import type { ClusterSnapshotContext } from './cluster-topics-snapshot.ts';
import { byText, partsOf } from './wire-values.ts';

/** A group with its members and its progress. */
export interface WatchedGroup {
  readonly name: string;
  readonly type: GroupType;
  readonly state: GroupStateName;
  /** The assignment protocol; empty without members. */
  readonly protocol: string;
  readonly generation: number;
  readonly members: readonly WatchedMember[];
  /** The topics that it reads or has committed offsets of, by name. */
  readonly topics: readonly WatchedTopic[];
}

export interface WatchedMember {
  readonly id: string;
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly assigned: readonly NamedPartitions[];
}

export interface NamedPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

export interface WatchedTopic {
  readonly name: string;
  /** In ascending order. */
  readonly partitions: readonly WatchedPartition[];
}

interface WatchedPartition {
  readonly partition: number;
  readonly memberId: string | undefined;
  readonly startOffset: number;
  readonly endOffset: number;
  /** The committed offset; for a share group, the offset below which all records are done. */
  readonly committedOffset: number | undefined;
  /** Unknown for share groups. */
  readonly committedMs: number | undefined;
  /** Without a commit, all records of the partition; unknown for a share group that has not started. */
  readonly lag: number | undefined;
}

/** Groups that one call describes. */
const groupsPerCallMax = 500;

/** The coordinator's description, before topics are resolved. */
interface GroupResponse extends Omit<WatchedGroup, 'members' | 'topics'> {
  readonly members: readonly MemberResponse[];
  readonly offsets: readonly OffsetResponse[];
}

interface MemberResponse extends Omit<WatchedMember, 'assigned'> {
  /** Classic members name topics, others have ids. */
  readonly named: readonly NamedPartitions[];
  readonly numbered: readonly PartitionsOfTopic[];
}

interface OffsetResponse {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  readonly committedMs?: number | undefined;
  /** If the coordinator computes it itself. */
  readonly lag?: number | undefined;
}

/** Describes all listed groups; those that were deleted meanwhile are skipped. */
export async function watchGroups(
  port: ClusterPort,
  listings: readonly Pick<GroupListing, 'groupId' | 'type'>[],
  context: ClusterSnapshotContext,
): Promise<WatchedGroup[]> {
  const responses: GroupResponse[] = [];
  for (const type of ['classic', 'consumer', 'share'] as const) {
    const groupIds = listings.filter((listing) => listing.type === type).map(({ groupId }) => groupId);
    for (const part of partsOf(groupIds, groupsPerCallMax))
      responses.push(...(await describeByType[type](port, part)));
  }
  // Last, so that no offset is beyond the end of its partition because the end is older.
  const topics = await readTopicsWithEnds(port, topicsOf(responses), context);
  return responses.map((group) => watchedGroup(group, topics)).sort((a, b) => byText(a.name, b.name));
}

/** Classic members name topics; offsets and other members have ids. */
function topicsOf(groups: readonly GroupResponse[]): TopicReference[] {
  const topicIds = new Set<string>();
  const names = new Set<string>();
  for (const { members, offsets } of groups) {
    for (const { topicId } of offsets) topicIds.add(topicId);
    for (const { named, numbered } of members) {
      for (const { topicId } of numbered) topicIds.add(topicId);
      for (const { topic } of named) names.add(topic);
    }
  }
  return [...Array.from(topicIds, (topicId) => ({ topicId })), ...Array.from(names, (name) => ({ name }))];
}

/** Describes one group of any type. */
export async function watchGroup(
  port: ClusterPort,
  groupId: string,
  context: ClusterSnapshotContext,
): Promise<WatchedGroup | undefined> {
  // A group id has one type at a time; the calls for the others find nothing.
  const [found] = await watchGroups(
    port,
    groupTypes.map((type) => ({ groupId, type })),
    context,
  );
  return found;
}

/** The unread records of a group, over all partitions. */
export function lagOf({ topics }: WatchedGroup): number {
  return topics.reduce((sum, { partitions }) => sum + lagOfTopic(partitions), 0);
}

export function lagOfTopic(partitions: readonly WatchedPartition[]): number {
  return partitions.reduce((sum, { lag }) => sum + (lag ?? 0), 0);
}

const describeByType: Readonly<
  Record<GroupType, (port: ClusterPort, groupIds: readonly string[]) => Promise<GroupResponse[]>>
> = { classic: describeClassic, consumer: describeConsumer, share: describeShare, streams: describeStreams };

async function describeClassic(port: ClusterPort, groupIds: readonly string[]): Promise<GroupResponse[]> {
  const descriptions = await port.describeGroups(groupIds);
  const offsets = await committedOffsets(port, groupIds);
  return descriptions.flatMap((group, index): GroupResponse[] => {
    if (group.error !== 'NONE') return [];
    const isConsumer = group.protocolType === consumerProtocolType;
    const members = group.members.map((member) => ({
      id: member.memberId,
      instanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      // Assignments of other protocols cannot be parsed here.
      named: (isConsumer ? readAssignment(member.assignment) : undefined) ?? [],
      numbered: [],
    }));
    return [
      {
        name: group.groupId,
        type: 'classic',
        state: group.state,
        protocol: group.protocolData,
        generation: group.generationId ?? 0,
        members,
        offsets: offsets[index]!,
      },
    ];
  });
}

async function describeConsumer(port: ClusterPort, groupIds: readonly string[]): Promise<GroupResponse[]> {
  const descriptions = await port.describeConsumerGroups(groupIds);
  const offsets = await committedOffsets(port, groupIds);
  return descriptions.flatMap((group, index): GroupResponse[] => {
    if (group.error !== 'NONE') return [];
    const members = group.members.map((member) => ({
      id: member.memberId,
      instanceId: member.instanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      named: [],
      numbered: member.assigned,
    }));
    return [
      {
        name: group.groupId,
        type: 'consumer',
        state: group.state,
        protocol: members.length === 0 ? '' : group.assignor,
        generation: group.epoch,
        members,
        offsets: offsets[index]!,
      },
    ];
  });
}

async function describeShare(port: ClusterPort, groupIds: readonly string[]): Promise<GroupResponse[]> {
  const descriptions = await port.describeShareGroups(groupIds);
  const answers = await port.describeShareOffsets(groupIds.map((groupId) => ({ groupId, partitions: null })));
  return descriptions.flatMap((group, index): GroupResponse[] => {
    if (group.error !== 'NONE') return [];
    const members = group.members.map((member) => ({
      id: member.memberId,
      instanceId: null,
      clientId: member.clientId,
      clientHost: member.clientHost,
      named: [],
      numbered: member.assigned,
    }));
    const offsets = answers[index]!.offsets.filter(({ error }) => error === 'NONE').map(
      ({ topicId, partition, startOffset, lag }) => {
        return { topicId, partition, offset: startOffset, lag: lag < 0 ? undefined : lag };
      },
    );
    return [
      {
        name: group.groupId,
        type: 'share',
        state: group.state,
        protocol: members.length === 0 ? '' : group.assignor,
        generation: group.epoch,
        members,
        offsets,
      },
    ];
  });
}

async function describeStreams(port: ClusterPort, groupIds: readonly string[]): Promise<GroupResponse[]> {
  const descriptions = await port.describeStreamsGroups(groupIds);
  const offsets = await committedOffsets(port, groupIds);
  return descriptions.flatMap((group, index): GroupResponse[] => {
    if (group.error !== 'NONE') return [];
    const members = group.members.map((member) => ({
      id: member.memberId,
      instanceId: member.instanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      named: [],
      numbered: member.reads,
    }));
    return [
      {
        name: group.groupId,
        type: 'streams',
        state: group.state,
        protocol: '',
        generation: group.epoch,
        members,
        offsets: offsets[index]!,
      },
    ];
  });
}

async function committedOffsets(port: ClusterPort, groupIds: readonly string[]): Promise<OffsetResponse[][]> {
  const answers = await port.fetchOffsets(
    groupIds.map((groupId) => ({
      groupId,
      memberId: null,
      memberEpoch: -1,
      requireStable: false,
      partitions: null,
      withTimes: true,
    })),
  );
  return answers.map(({ offsets }) => offsets.filter(({ error }) => error === 'NONE'));
}

function watchedGroup({ members, offsets, ...group }: GroupResponse, topics: TopicLookup): WatchedGroup {
  const partitions = new GroupPartitions(topics, group.type);
  const watched = members.map(({ named, numbered, ...member }): WatchedMember => {
    const assigned = [
      ...named,
      ...numbered.flatMap(({ topicId, partitions }) => {
        const topic = topics.topicById(topicId)?.name;
        return topic === undefined ? [] : [{ topic, partitions }];
      }),
    ].sort((a, b) => byText(a.topic, b.topic));
    for (const { topic, partitions: numbers } of assigned) {
      const topicId = topics.topicByName(topic)?.topicId;
      if (topicId === undefined) continue;
      for (const number of numbers) partitions.at(topicId, number).memberId = member.id;
    }
    return { ...member, assigned };
  });
  for (const { topicId, partition, offset, committedMs, lag } of offsets) {
    if (offset < 0) continue;
    const found = partitions.at(topicId, partition);
    found.committedOffset = offset;
    found.committedMs = committedMs;
    found.lag = lag;
  }
  return { ...group, members: watched, topics: partitions.topics() };
}

interface GroupPartition {
  memberId?: string;
  committedOffset?: number;
  committedMs?: number | undefined;
  lag?: number | undefined;
}

/** The partitions of a group, collected from its members and its offsets. */
class GroupPartitions {
  readonly #topics: TopicLookup;
  readonly #type: GroupType;
  readonly #byTopic = new Map<string, Map<number, GroupPartition>>();

  constructor(topics: TopicLookup, type: GroupType) {
    this.#topics = topics;
    this.#type = type;
  }

  at(topicId: string, partition: number): GroupPartition {
    const ofTopic = this.#byTopic.get(topicId) ?? new Map<number, GroupPartition>();
    this.#byTopic.set(topicId, ofTopic);
    const found = ofTopic.get(partition) ?? {};
    ofTopic.set(partition, found);
    return found;
  }

  topics(): WatchedTopic[] {
    const topics: WatchedTopic[] = [];
    for (const [topicId, found] of this.#byTopic) {
      const name = this.#topics.topicById(topicId)?.name;
      if (name === undefined) continue;
      const partitions = Array.from(found, ([partition, known]) => this.#watched(topicId, partition, known))
        .filter((partition) => partition !== undefined)
        .sort((a, b) => a.partition - b.partition);
      if (partitions.length > 0) topics.push({ name, partitions });
    }
    return topics.sort((a, b) => byText(a.name, b.name));
  }

  #watched(topicId: string, partition: number, known: GroupPartition): WatchedPartition | undefined {
    const ends = this.#topics.ends(topicId, partition);
    if (ends === undefined) return undefined;
    const { memberId, committedOffset, committedMs } = known;
    // A share group begins at the end unless its config says otherwise.
    const readOffset = committedOffset ?? (this.#type === 'share' ? undefined : ends.logStartOffset);
    const lag = known.lag ?? (readOffset === undefined ? undefined : ends.nextOffset - readOffset);
    return {
      partition,
      memberId,
      startOffset: ends.logStartOffset,
      endOffset: ends.nextOffset,
      committedOffset,
      committedMs,
      lag: lag === undefined ? undefined : Math.max(0, lag),
    };
  }
}
