import { apis, zeroUuid } from '@weir/wire';
import { byTopic, type Place } from '../place.ts';
import type { Transport } from '../transport.ts';

/** Who commits: a member, or an administrator for a group without members. */
export interface Committer {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
}

/** The generation and the id of a client that is no member. */
export const noMember = { generationId: -1, memberId: '' } as const;

/** Up to this version requests identify topics by name. */
const highestVersionWithNames = 9;

export interface OffsetToCommit extends Place {
  readonly offset: bigint;
  readonly metadata?: string;
}

/** Commits offsets once, and returns the error code of each partition. */
export async function requestCommit(
  coordinator: Transport,
  { groupId, generationId, memberId }: Committer,
  offsets: readonly OffsetToCommit[],
): Promise<readonly (Place & { readonly errorCode: number })[]> {
  const { topics } = await coordinator.call(apis.OffsetCommit, highestVersionWithNames, {
    groupId,
    generationIdOrMemberEpoch: generationId,
    memberId,
    groupInstanceId: null,
    retentionTimeMs: -1n,
    topics: [...byTopic(offsets)].map(([name, ofTopic]) => ({
      name,
      topicId: zeroUuid,
      partitions: ofTopic.map(({ partition, offset, metadata = '' }) => ({
        partitionIndex: partition,
        committedOffset: offset,
        committedLeaderEpoch: -1,
        committedMetadata: metadata,
      })),
    })),
  });
  return topics.flatMap(({ name = '', partitions }) =>
    partitions.map(({ partitionIndex, errorCode }) => ({
      topic: name,
      partition: partitionIndex,
      errorCode,
    })),
  );
}
