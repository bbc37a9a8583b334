import type { AssignorMember } from './assignor.ts';
import type { TopicPartitions } from './partitions.ts';

/**
 * Cuts every topic into as many ranges as it has listeners, the first ones longer by one where it does not come out even. Members
 * stand in the order of their names, so that of topics with the same listeners and equally many partitions everybody gets the
 * same numbers: what a join of two topics needs. Static members keep their place under whatever id they come back.
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
