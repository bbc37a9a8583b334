import type { AssignorMember } from './assignor-member.ts';
import type { TopicPartitions } from './partitions.ts';

/**
 * Cuts every topic into as many ranges as it has subscribers; the first ranges are longer by one when the count does
 * not divide evenly. Members are ordered by name, so a member gets the same partition numbers of all topics with equal
 * subscribers and partition counts (co-partitioning). Static members keep their position when they rejoin with another
 * member id.
 */
export function assignRange(
  members: readonly AssignorMember[],
  topics: ReadonlyMap<string, number>,
): Map<string, TopicPartitions> {
  const inOrder = [...members].sort(byName);
  const assigned = new Map(inOrder.map(({ memberId }) => [memberId, new Map<string, readonly number[]>()]));
  for (const [topicId, partitionCount] of topics) {
    const listeners = inOrder.filter(({ topicIds }) => topicIds.has(topicId));
    const share = Math.floor(partitionCount / listeners.length);
    const longer = partitionCount % listeners.length;
    let next = 0;
    for (const [index, { memberId }] of listeners.entries()) {
      const length = share + (index < longer ? 1 : 0);
      if (length === 0) break;
      const first = next;
      assigned.get(memberId)!.set(
        topicId,
        Array.from({ length }, (_, at) => first + at),
      );
      next += length;
    }
  }
  return assigned;
}

function byName(a: AssignorMember, b: AssignorMember): number {
  const nameA = a.instanceId ?? a.memberId;
  const nameB = b.instanceId ?? b.memberId;
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a.memberId < b.memberId ? -1 : 1;
}
