import type {
  ClusterPort,
  ConsumerGroupDescription,
  GroupDescription,
  GroupListing,
  GroupStateName,
} from '@weir/metadata';
import { assignedPartitions } from './classic-assignment.ts';

/** What is told of one consumer group. */
export interface GroupFigures {
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
}

export interface GroupLimits {
  readonly groupsMax: number;
  readonly partitionsMax: number;
}

export interface ReadGroups {
  readonly groups: readonly GroupFigures[];
  /** Groups that there are besides. */
  readonly leftOut: number;
}

export interface GroupReaderOptions {
  readonly port: Pick<
    ClusterPort,
    'listGroups' | 'describeGroups' | 'describeConsumerGroups' | 'fetchOffsets'
  >;
  readonly topicIdOf: (name: string) => string | undefined;
  readonly limits: GroupLimits;
}

/** Descriptions hold what members say of themselves, up to megabytes of it. */
const groupsPerCall = 10;

/**
 * Asks for the consumer groups of a cluster, by name, as many as fit. Partitions of a group are those that it has committed an offset of and
 * those that its members read.
 */
export async function readGroups({ port, topicIdOf, limits }: GroupReaderOptions): Promise<ReadGroups> {
  const listed = await port.listGroups({ states: [], types: ['classic', 'consumer'] });
  listed.sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
  const groups: GroupFigures[] = [];
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
): Promise<GroupFigures[]> {
  const ids = (type: GroupListing['type']) =>
    listings.filter((listing) => listing.type === type).map(({ groupId }) => groupId);
  const classicIds = ids('classic');
  const consumerIds = ids('consumer');
  const [classic, consumer, offsets] = await Promise.all([
    classicIds.length === 0 ? [] : port.describeGroups(classicIds),
    consumerIds.length === 0 ? [] : port.describeConsumerGroups(consumerIds),
    port.fetchOffsets(
      listings.map(({ groupId }) => ({
        groupId,
        memberId: null,
        memberEpoch: -1,
        requireStable: false,
        partitions: null,
      })),
    ),
  ]);
  const described = new Map([
    ...classic.map((group) => [group.groupId, classicFigures(group, topicIdOf)] as const),
    ...consumer.map((group) => [group.groupId, consumerFigures(group)] as const),
  ]);
  return listings.flatMap(({ groupId }, index) => {
    const group = described.get(groupId);
    // It has ended, or changed its type, since it was listed.
    if (group === undefined || group.state === 'Dead') return [];
    const partitions = new Map<string, GroupPartition>();
    for (const place of group.reads) {
      partitions.set(placeKey(place), { ...place, committedOffset: undefined });
    }
    for (const { topicId, partition, offset } of offsets[index]!.offsets) {
      if (offset < 0) continue;
      partitions.set(placeKey({ topicId, partition }), { topicId, partition, committedOffset: offset });
    }
    const { state, memberCount, generation } = group;
    return [{ groupId, state, memberCount, generation, partitions: [...partitions.values()] }];
  });
}

interface Place {
  readonly topicId: string;
  readonly partition: number;
}

interface Described extends Pick<GroupFigures, 'state' | 'memberCount' | 'generation'> {
  readonly reads: readonly Place[];
}

function classicFigures(
  { state, members, generationId, protocolType }: GroupDescription,
  topicIdOf: GroupReaderOptions['topicIdOf'],
): Described {
  const reads: Place[] = [];
  // Other members than consumers, as those of Kafka Connect, share out something else.
  for (const { assignment } of protocolType === 'consumer' ? members : []) {
    for (const { topic, partitions } of assignedPartitions(assignment)) {
      const topicId = topicIdOf(topic);
      if (topicId === undefined) continue;
      for (const partition of partitions) reads.push({ topicId, partition });
    }
  }
  return { state, memberCount: members.length, generation: generationId, reads };
}

function consumerFigures({ state, members, epoch }: ConsumerGroupDescription): Described {
  const reads = members.flatMap(({ target }) =>
    target.flatMap(({ topicId, partitions }) => partitions.map((partition) => ({ topicId, partition }))),
  );
  return { state, memberCount: members.length, generation: epoch, reads };
}

export function placeKey({ topicId, partition }: Place): string {
  return `${topicId} ${partition}`;
}
