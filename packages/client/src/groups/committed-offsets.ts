import { apis, errors, zeroUuid } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { findCoordinator } from '../coordinator.ts';
import { byTopic, type Place } from '../place.ts';
import { subject } from '../records/leaders.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import type { Transport } from '../transport.ts';

/** Offsets of the next records to read, by topic and partition. */
export type OffsetsByTopic = ReadonlyMap<string, ReadonlyMap<number, bigint>>;

interface CommittedOffset extends Place {
  /** Negative if there is none. */
  readonly offset: bigint;
  readonly metadata: string;
  readonly errorCode: number;
}

/** Up to this version requests identify topics by name. */
const highestVersionWithNames = 9;

/** Asks once for the committed offsets of some partitions, or of all that have some. Returns the error of the group. */
export async function requestCommitted(
  coordinator: Transport,
  groupId: string,
  places: readonly Place[] | 'all',
): Promise<{ readonly errorCode: number; readonly offsets: readonly CommittedOffset[] }> {
  const wanted =
    places === 'all'
      ? null
      : [...byTopic(places)].map(([name, ofTopic]) => ({
          name,
          topicId: zeroUuid,
          partitionIndexes: ofTopic.map(({ partition }) => partition),
        }));
  const answer = await coordinator.call(apis.OffsetFetch, highestVersionWithNames, (version) =>
    version >= 8
      ? {
          groupId: '',
          topics: [],
          groups: [{ groupId, memberId: null, memberEpoch: -1, topics: wanted }],
          requireStable: false,
        }
      : { groupId, topics: wanted, groups: [], requireStable: false },
  );
  // Up to v7 the answer is at the top level, later in a list.
  const { errorCode = 0, topics = [] } = answer.groups?.[0] ?? answer;
  const offsets = topics.flatMap(({ name = '', partitions }) =>
    partitions.map((one) => ({
      topic: name,
      partition: one.partitionIndex,
      offset: one.committedOffset,
      metadata: one.metadata ?? '',
      errorCode: one.errorCode,
    })),
  );
  return { errorCode, offsets };
}

/** The committed offsets of a group by topic and partition. A group that does not exist has none. */
export function committedOffsets(cluster: KafkaCluster, groupId: string): Promise<OffsetsByTopic> {
  return cluster.retrying(async () => {
    const connection = await cluster.connectionTo(await findCoordinator(cluster, groupId));
    const { errorCode, offsets } = await requestCommitted(
      connection.transport(cluster.timeoutMs),
      groupId,
      'all',
    );
    if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed(`group ${groupId}`, errorCode);
    const committed = new Map<string, Map<number, bigint>>();
    for (const { topic, partition, offset, errorCode: code } of offsets) {
      if (code !== errors.NONE.code) throw new KafkaRequestFailed(subject(topic, partition), code);
      const ofTopic = committed.get(topic) ?? new Map<number, bigint>();
      committed.set(topic, offset >= 0n ? ofTopic.set(partition, offset) : ofTopic);
    }
    return committed;
  });
}
