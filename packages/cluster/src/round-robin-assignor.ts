import type { Subscriber } from './range-assignor.ts';

/** The name that all clients use. */
export const roundRobinAssignorName = 'roundrobin';

/** Deals the partitions of all topics, in order, to the members that read them, in turn. */
export function assignInTurn(
  members: readonly Subscriber[],
  partitionCounts: ReadonlyMap<string, number>,
): Map<string, ReadonlyMap<string, readonly number[]>> {
  const inOrder = members.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const assigned = new Map(inOrder.map(({ memberId }) => [memberId, new Map<string, number[]>()]));
  let turn = 0;
  for (const [topic, count] of [...partitionCounts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!inOrder.some(({ topics }) => topics.has(topic))) continue;
    for (let partition = 0; partition < count; partition++) {
      while (!inOrder[turn % inOrder.length]!.topics.has(topic)) turn++;
      const ofMember = assigned.get(inOrder[turn++ % inOrder.length]!.memberId)!;
      const partitions = ofMember.get(topic);
      if (partitions === undefined) ofMember.set(topic, [partition]);
      else partitions.push(partition);
    }
  }
  return assigned;
}
