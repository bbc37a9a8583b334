import { apis } from '@weir/wire';
import type { KafkaConnection } from '../connection.ts';

/** Offsets of the next records to read, by topic and partition. */
export type OffsetsByTopic = ReadonlyMap<string, ReadonlyMap<number, bigint>>;

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

interface PartitionCode {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
}

/** Commits offsets once, and returns the error code of each partition. */
export async function requestCommit(
  coordinator: KafkaConnection,
  { groupId, generationId, memberId }: Committer,
  offsets: OffsetsByTopic,
  timeoutMs: number,
): Promise<readonly PartitionCode[]> {
  const { topics } = await coordinator.request(
    apis.OffsetCommit,
    {
      groupId,
      generationIdOrMemberEpoch: generationId,
      memberId,
      topics: [...offsets].map(([name, ofPartitions]) => ({
        name,
        partitions: [...ofPartitions].map(([partitionIndex, committedOffset]) => ({
          partitionIndex,
          committedOffset,
          committedMetadata: '',
        })),
      })),
    },
    { timeoutMs, highestUseful: highestVersionWithNames },
  );
  return topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, errorCode }) => ({
      topic: name,
      partition: partitionIndex,
      errorCode,
    })),
  );
}
