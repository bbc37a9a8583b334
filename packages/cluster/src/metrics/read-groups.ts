import type { ConsumerGroupDescription } from '../calls/groups/consumer-group-calls.ts';
import type { GroupDescription, GroupListing } from '../calls/groups/group-admin-calls.ts';
import type { GroupStateName, GroupType } from '../calls/groups/group-names.ts';
import type { CommittedOffset } from '../calls/groups/group-offset-calls.ts';
import type { ModernGroupDescription } from '../calls/groups/modern-groups.ts';
import type { ShareOffset } from '../calls/groups/share-calls.ts';
import type { StreamsGroupDescription } from '../calls/groups/streams-group-calls.ts';
import type { PartitionsOfTopic } from '../calls/topic-partition.ts';
import { consumerProtocolType, readAssignment } from '../consumer-protocol.ts';
import type { MeasuredGroupsPort } from './measured-cluster-view.ts';

/** What is published about one group. */
export interface ReadGroup {
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly memberCount: number;
  /** `undefined` for a group that has only offsets. */
  readonly generation: number | undefined;
  readonly partitions: readonly GroupPartition[];
}

export interface GroupPartition {
  readonly topicId: string;
  readonly partition: number;
  /** `undefined` for an assigned partition without a committed offset. */
  readonly committedOffset: number | undefined;
  /** `undefined` without a committed offset, or if the leader does not report it. */
  readonly committedMs: number | undefined;
  /** For a share group only: it completes records in any order, so only its coordinator can count the lag. */
  readonly lag: number | undefined;
}

export interface GroupLimits {
  readonly groupsMax: number;
  readonly partitionsMax: number;
}

interface ReadGroups {
  readonly groups: readonly ReadGroup[];
  /** Number of groups that were omitted. */
  readonly leftOut: number;
}

interface GroupReaderOptions {
  readonly port: MeasuredGroupsPort;
  readonly topicIdOf: (name: string) => string | undefined;
  readonly limits: GroupLimits;
}

/** Descriptions contain member metadata, up to megabytes of it. */
const groupsPerCall = 10;

/**
 * Reads the groups of a cluster, by name, as many as fit the limits. The partitions of a group are those with a
 * committed offset and those assigned to its members; of a share group, those that it has started on.
 */
export async function readGroups({ port, topicIdOf, limits }: GroupReaderOptions): Promise<ReadGroups> {
  const listed = await port.listGroups({ states: [], types: [] });
  listed.sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
  const groups: ReadGroup[] = [];
  let partitionCount = 0;
  for (let at = 0; at < Math.min(listed.length, limits.groupsMax); at += groupsPerCall) {
    const part = listed.slice(at, Math.min(at + groupsPerCall, limits.groupsMax));
    for (const group of await readPart(port, topicIdOf, part)) {
      partitionCount += group.partitions.length;
      // A partially read group would have wrong numbers, which is worse than none.
      if (partitionCount > limits.partitionsMax) return { groups, leftOut: listed.length - groups.length };
      groups.push(group);
    }
  }
  return { groups, leftOut: Math.max(0, listed.length - limits.groupsMax) };
}

async function readPart(
  port: GroupReaderOptions['port'],
  topicIdOf: GroupReaderOptions['topicIdOf'],
  listings: readonly GroupListing[],
): Promise<ReadGroup[]> {
  const idsOf = (...types: readonly GroupType[]) =>
    listings.filter(({ type }) => types.includes(type)).map(({ groupId }) => groupId);
  const classicIds = idsOf('classic');
  const consumerIds = idsOf('consumer');
  const shareIds = idsOf('share');
  const streamsIds = idsOf('streams');
  const readingIds = idsOf('classic', 'consumer', 'streams');
  const [classic, consumer, share, streams, committed, begun] = await Promise.all([
    classicIds.length === 0 ? [] : port.describeGroups(classicIds),
    consumerIds.length === 0 ? [] : port.describeConsumerGroups(consumerIds),
    shareIds.length === 0 ? [] : port.describeShareGroups(shareIds),
    streamsIds.length === 0 ? [] : port.describeStreamsGroups(streamsIds),
    readingIds.length === 0 ? [] : port.fetchOffsets(readingIds.map(allOffsets)),
    shareIds.length === 0
      ? []
      : port.describeShareOffsets(shareIds.map((groupId) => ({ groupId, partitions: null }))),
  ]);
  const described = new Map([
    ...classic.map((group) => [group.groupId, describedClassic(group, topicIdOf)] as const),
    ...consumer.map((group) => [group.groupId, describedConsumer(group)] as const),
    ...share.map((group) => [group.groupId, describedShare(group)] as const),
    ...streams.map((group) => [group.groupId, describedStreams(group)] as const),
  ]);
  const offsets = new Map([
    ...readingIds.map((groupId, row) => [groupId, committed[row]!.offsets.map(ofCommitted)] as const),
    ...shareIds.map((groupId, row) => [groupId, begun[row]!.offsets.map(ofShared)] as const),
  ]);
  return listings.flatMap(({ groupId }) => {
    const group = described.get(groupId);
    // The group has ended or changed its type since it was listed.
    if (group === undefined || group.state === 'Dead') return [];
    const partitions = new Map<string, GroupPartition>();
    for (const place of group.reads) partitions.set(placeKey(place), { ...place, ...nothingCommitted });
    for (const place of offsets.get(groupId)!) {
      if (place.committedOffset >= 0) partitions.set(placeKey(place), place);
    }
    const { state, memberCount, generation } = group;
    return [{ groupId, state, memberCount, generation, partitions: [...partitions.values()] }];
  });
}

const nothingCommitted = { committedOffset: undefined, committedMs: undefined, lag: undefined };

function allOffsets(groupId: string) {
  return {
    groupId,
    memberId: null,
    memberEpoch: -1,
    requireStable: false,
    partitions: null,
    withTimes: true,
  };
}

/** A negative offset means no committed offset. */
interface ReportedPartition extends GroupPartition {
  readonly committedOffset: number;
}

function ofCommitted({ topicId, partition, offset, committedMs }: CommittedOffset): ReportedPartition {
  return { topicId, partition, committedOffset: offset, committedMs, lag: undefined };
}

function ofShared({ topicId, partition, startOffset, lag }: ShareOffset): ReportedPartition {
  return {
    topicId,
    partition,
    committedOffset: startOffset,
    committedMs: undefined,
    lag: lag < 0 ? undefined : lag,
  };
}

interface Place {
  readonly topicId: string;
  readonly partition: number;
}

interface Described extends Pick<ReadGroup, 'state' | 'memberCount' | 'generation'> {
  readonly reads: readonly Place[];
}

function describedClassic(
  { state, members, generationId, protocolType }: GroupDescription,
  topicIdOf: GroupReaderOptions['topicIdOf'],
): Described {
  const reads: Place[] = [];
  // Groups of other protocol types, such as Kafka Connect's, do not assign partitions.
  for (const { assignment } of protocolType === consumerProtocolType ? members : []) {
    for (const { topic, partitions } of readAssignment(assignment) ?? []) {
      const topicId = topicIdOf(topic);
      if (topicId === undefined) continue;
      for (const partition of partitions) reads.push({ topicId, partition });
    }
  }
  return { state, memberCount: members.length, generation: generationId, reads };
}

function describedConsumer({ state, members, epoch }: ConsumerGroupDescription): Described {
  const reads = members.flatMap(({ target }) => target.flatMap(placesOf));
  return { state, memberCount: members.length, generation: epoch, reads };
}

/** Partitions that the group has not started on have no lag: their start offset is not yet decided. */
function describedShare({ state, members, epoch }: ModernGroupDescription): Described {
  return { state, memberCount: members.length, generation: epoch, reads: [] };
}

function describedStreams({ state, members, epoch }: StreamsGroupDescription): Described {
  const reads = members.flatMap((member) => member.reads.flatMap(placesOf));
  return { state, memberCount: members.length, generation: epoch, reads };
}

function placesOf({ topicId, partitions }: PartitionsOfTopic): Place[] {
  return partitions.map((partition) => ({ topicId, partition }));
}

export function placeKey({ topicId, partition }: Place): string {
  return `${topicId} ${partition}`;
}
