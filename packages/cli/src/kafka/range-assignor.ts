import type { NamedPartitions } from './consumer-protocol.ts';

interface Subscriber {
  readonly memberId: string;
  /** `group.instance.id` of a static member, which replaces the member id in the order. */
  readonly instanceId: string | null;
  readonly topics: readonly string[];
}

/** The name that all clients use. A group may have members from different client libraries. */
export const rangeAssignorName = 'range';

/**
 * Splits every topic into as many ranges as it has subscribers; the first ones are longer by one if it does not divide
 * evenly. The result does not depend on which member leads the group.
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

/** Static members come before the others, as in Kafka's own clients. */
function byName(a: Subscriber, b: Subscriber): number {
  if ((a.instanceId === null) !== (b.instanceId === null)) return a.instanceId === null ? 1 : -1;
  return (a.instanceId ?? a.memberId) < (b.instanceId ?? b.memberId) ? -1 : 1;
}
