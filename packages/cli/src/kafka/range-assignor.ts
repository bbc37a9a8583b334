import type { NamedPartitions } from './consumer-protocol.ts';

interface Subscriber {
  readonly memberId: string;
  /** The name of a static member, which counts in place of its id. */
  readonly instanceId: string | null;
  readonly topics: readonly string[];
}

/** As every client that has it calls it. Members of one group may be clients of different makes. */
export const rangeAssignorName = 'range';

/**
 * Cuts every topic into as many ranges as it has subscribers, the first ones longer by one where it does not come out even.
 * Whoever leads the group computes the same.
 */
export function assignRanges(
  members: readonly Subscriber[],
  partitionCounts: ReadonlyMap<string, number>,
): ReadonlyMap<string, NamedPartitions> {
  const assigned = new Map(members.map(({ memberId }) => [memberId, new Map<string, number[]>()]));
  for (const [topic, partitionCount] of partitionCounts) {
    const subscribers = members.filter(({ topics }) => topics.includes(topic)).toSorted(byName);
    let next = 0;
    for (const [index, { memberId }] of subscribers.entries()) {
      const isLonger = index < partitionCount % subscribers.length;
      const length = Math.floor(partitionCount / subscribers.length) + (isLonger ? 1 : 0);
      const first = next;
      if (length > 0) {
        assigned.get(memberId)!.set(
          topic,
          Array.from({ length }, (_, at) => first + at),
        );
      }
      next += length;
    }
  }
  return assigned;
}

/** Static members stand before the others, as they do in Kafka's own clients. */
function byName(a: Subscriber, b: Subscriber): number {
  if ((a.instanceId === null) !== (b.instanceId === null)) return a.instanceId === null ? 1 : -1;
  return (a.instanceId ?? a.memberId) < (b.instanceId ?? b.memberId) ? -1 : 1;
}
