import type { Committer } from '@weir/client';
import { apis, errors, zeroUuid } from '@weir/wire';
import type { HandlerClient } from '../../handler-client.ts';
import { groupProblem } from './consumer-problems.ts';
import type { Place } from './held-partitions.ts';

interface OffsetToCommit extends Place {
  readonly offset: number;
  readonly metadata: string;
}

interface CommittedOffset extends Place {
  /** Negative if there is none. */
  readonly offset: number;
  readonly metadata: string;
}

/** The last versions that name topics. */
const commitVersion = 9;
const offsetFetchVersion = 7;
const attemptsMax = 30;
const pauseBetweenAttemptsMs = 100;

/** The coordinator moves, or cannot be reached at the moment. */
export const coordinatorCodes: ReadonlySet<number> = new Set([
  errors.COORDINATOR_LOAD_IN_PROGRESS.code,
  errors.COORDINATOR_NOT_AVAILABLE.code,
  errors.NOT_COORDINATOR.code,
]);

/** Commits offsets. Throws a problem if one of them is refused. */
export async function commitOffsets(
  client: HandlerClient,
  { groupId, memberId, generationId }: Committer,
  offsets: readonly OffsetToCommit[],
): Promise<void> {
  if (offsets.length === 0) return;
  const request = {
    groupId,
    generationIdOrMemberEpoch: generationId,
    memberId,
    groupInstanceId: null,
    retentionTimeMs: -1n,
    topics: [...byTopic(offsets)].map(([name, ofTopic]) => ({
      name,
      topicId: zeroUuid,
      partitions: ofTopic.map(({ partition, offset, metadata }) => ({
        partitionIndex: partition,
        committedOffset: BigInt(offset),
        committedLeaderEpoch: -1,
        committedMetadata: metadata,
      })),
    })),
  };
  for (let attempt = 1; ; attempt++) {
    const { topics } = await client.call(apis.OffsetCommit, commitVersion, request, 0);
    const failed = topics
      .flatMap(({ name, partitions }) => partitions.map(({ errorCode }) => ({ name, errorCode })))
      .find(({ errorCode }) => errorCode !== 0);
    if (failed === undefined) return;
    const mayPass = coordinatorCodes.has(failed.errorCode) && attempt < attemptsMax && !client.closed.aborted;
    if (!mayPass) throw groupProblem(groupId, failed.errorCode, failed.name);
    await client.pause(pauseBetweenAttemptsMs);
  }
}

/** The committed offsets of partitions, in some order. Partitions of unknown topics have none. */
export async function committedOffsets(
  client: HandlerClient,
  groupId: string,
  places: readonly Place[],
): Promise<readonly CommittedOffset[]> {
  if (places.length === 0) return [];
  const request = {
    groupId,
    topics: [...byTopic(places)].map(([name, ofTopic]) => ({
      name,
      partitionIndexes: ofTopic.map(({ partition }) => partition),
    })),
    groups: [],
    requireStable: false,
  };
  for (let attempt = 1; ; attempt++) {
    const answer = await client.call(apis.OffsetFetch, offsetFetchVersion, request, 0);
    const { topics = [], errorCode = 0 } = answer;
    const found = topics.flatMap(({ name, partitions }) =>
      partitions.map((one) => ({
        topic: name,
        partition: one.partitionIndex,
        offset: Number(one.committedOffset),
        metadata: one.metadata ?? '',
        errorCode: one.errorCode,
      })),
    );
    const failed = found.find((one) => one.errorCode !== 0);
    const code = errorCode !== 0 ? errorCode : (failed?.errorCode ?? 0);
    if (code === 0) return found;
    const mayPass = coordinatorCodes.has(code) && attempt < attemptsMax && !client.closed.aborted;
    if (!mayPass) throw groupProblem(groupId, code, failed?.topic);
    await client.pause(pauseBetweenAttemptsMs);
  }
}

export function byTopic<Entry extends Place>(entries: readonly Entry[]): Map<string, Entry[]> {
  return Map.groupBy(entries, ({ topic }) => topic);
}
