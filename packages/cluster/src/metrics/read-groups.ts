import { readAssignment } from '../consumer-protocol.ts';
import type {
  CommittedOffset,
  ConsumerGroupDescription,
  GroupDescription,
  GroupListing,
  GroupStateName,
  GroupType,
  PartitionsOfTopic,
} from '../ports/groups-port.ts';
import type { ShareGroupDescription, ShareOffset } from '../ports/share-port.ts';
import type { MeasuredPort } from './measured-cluster-view.ts';

/** What is told of one group. */
export interface ReadGroup {
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly memberCount: number;
  /** `undefined` for a group that has offsets and nothing else. */
  readonly generation: number | undefined;
  readonly partitions: readonly GroupPartition[];
}

export interface GroupPartition {
  readonly topicId: string;
  readonly partition: number;
  /** `undefined` for a partition that the group reads and has committed nothing of. */
  readonly committedOffset: number | undefined;
  /** `undefined` for one that nobody committed, or when the leader does not tell. */
  readonly committedMs: number | undefined;
  /** Of a share group, which is done with records in any order, so that only its coordinator can count. */
  readonly lag: number | undefined;
}

export interface GroupLimits {
  readonly groupsMax: number;
  readonly partitionsMax: number;
}

interface ReadGroups {
  readonly groups: readonly ReadGroup[];
  /** Groups that there are besides. */
  readonly leftOut: number;
}

interface GroupReaderOptions {
  readonly port: Pick<
    MeasuredPort,
    | 'listGroups'
    | 'describeGroups'
    | 'describeConsumerGroups'
    | 'describeShareGroups'
    | 'describeShareOffsets'
    | 'fetchOffsets'
  >;
  readonly topicIdOf: (name: string) => string | undefined;
  readonly limits: GroupLimits;
}

/** Descriptions hold what members say of themselves, up to megabytes of it. */
const groupsPerCall = 10;

/**
 * Asks for the groups of a cluster, by name, as many as fit. Partitions of a group are those that it has committed an offset of and those
 * that its members read; of a share group, those that it has begun with.
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
      // A part of a group would be a wrong figure, and no figure is better.
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
  const readingIds = idsOf('classic', 'consumer');
  const [classic, consumer, share, committed, begun] = await Promise.all([
    classicIds.length === 0 ? [] : port.describeGroups(classicIds),
    consumerIds.length === 0 ? [] : port.describeConsumerGroups(consumerIds),
    shareIds.length === 0 ? [] : port.describeShareGroups(shareIds),
    readingIds.length === 0 ? [] : port.fetchOffsets(readingIds.map(allOffsets)),
    shareIds.length === 0
      ? []
      : port.describeShareOffsets(shareIds.map((groupId) => ({ groupId, partitions: null }))),
  ]);
  const described = new Map([
    ...classic.map((group) => [group.groupId, describedClassic(group, topicIdOf)] as const),
    ...consumer.map((group) => [group.groupId, describedConsumer(group)] as const),
    ...share.map((group) => [group.groupId, describedShare(group)] as const),
  ]);
  const offsets = new Map([
    ...readingIds.map((groupId, row) => [groupId, committed[row]!.offsets.map(ofCommitted)] as const),
    ...shareIds.map((groupId, row) => [groupId, begun[row]!.offsets.map(ofShared)] as const),
  ]);
  return listings.flatMap(({ groupId }) => {
    const group = described.get(groupId);
    // It has ended, or changed its type, since it was listed.
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

/** A negative offset is none. */
interface ToldPartition extends GroupPartition {
  readonly committedOffset: number;
}

function ofCommitted({ topicId, partition, offset, committedMs }: CommittedOffset): ToldPartition {
  return { topicId, partition, committedOffset: offset, committedMs, lag: undefined };
}

function ofShared({ topicId, partition, startOffset, lag }: ShareOffset): ToldPartition {
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
  // Other members than consumers, as those of Kafka Connect, share out something else.
  for (const { assignment } of protocolType === 'consumer' ? members : []) {
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

/** What members of it have yet to begin with keeps nobody waiting: where it begins is not settled. */
function describedShare({ state, members, epoch }: ShareGroupDescription): Described {
  return { state, memberCount: members.length, generation: epoch, reads: [] };
}

function placesOf({ topicId, partitions }: PartitionsOfTopic): Place[] {
  return partitions.map((partition) => ({ topicId, partition }));
}

export function placeKey({ topicId, partition }: Place): string {
  return `${topicId} ${partition}`;
}
