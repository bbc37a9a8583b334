import { apis, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { findCoordinator } from '../coordinator.ts';
import { subject } from '../records/leaders.ts';
import { KafkaRequestFailed } from '../request-failed.ts';

/** Up to this version requests identify topics by name. */
const highestVersionWithNames = 9;

/** The committed offsets of a group by topic and partition. A group that does not exist has none. */
export function committedOffsets(
  cluster: KafkaCluster,
  groupId: string,
): Promise<ReadonlyMap<string, ReadonlyMap<number, bigint>>> {
  return cluster.retrying(async () => {
    const connection = await cluster.connectionTo(await findCoordinator(cluster, groupId));
    const answer = await connection.request(
      apis.OffsetFetch,
      (version) => (version >= 8 ? { groups: [{ groupId, topics: null }] } : { groupId, topics: null }),
      { timeoutMs: cluster.timeoutMs, highestUseful: highestVersionWithNames },
    );
    // Up to v7 the answer is at the top level, later in a list.
    const { errorCode, topics } = answer.groups[0] ?? answer;
    if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed(`group ${groupId}`, errorCode);
    const committed = new Map<string, Map<number, bigint>>();
    for (const { name, partitions } of topics) {
      const offsets = new Map<number, bigint>();
      for (const { partitionIndex, committedOffset, errorCode: code } of partitions) {
        if (code !== errors.NONE.code) throw new KafkaRequestFailed(subject(name, partitionIndex), code);
        if (committedOffset >= 0n) offsets.set(partitionIndex, committedOffset);
      }
      committed.set(name, offsets);
    }
    return committed;
  });
}
