export interface Subscriber {
  readonly memberId: string;
  /** The name of a static member. */
  readonly instanceId: string | null;
  /** Ids or names of the subscribed topics. */
  readonly topics: ReadonlySet<string>;
}

/** The name that all clients use. A group may have members from different client libraries. */
export const rangeAssignorName = 'range';

/**
 * Cuts every topic into as many ranges as it has subscribers; the first ranges are longer by one when the count does
 * not divide evenly. All topics use the same order of members, so a member gets the same partition numbers of all
 * topics with equal subscribers and partition counts (co-partitioning).
 *
 * The leader of a classic group and the coordinator of a consumer group assign by the same rules. Kafka's own clients
 * additionally prefer replicas in their rack; all partitions are equally near to a client here.
 */
export function assignRanges(
  members: readonly Subscriber[],
  partitionCounts: ReadonlyMap<string, number>,
): Map<string, ReadonlyMap<string, readonly number[]>> {
  const inOrder = members.toSorted(byName);
  const assigned = new Map(inOrder.map(({ memberId }) => [memberId, new Map<string, readonly number[]>()]));
  for (const [topic, partitionCount] of partitionCounts) {
    const subscribers = inOrder.filter(({ topics }) => topics.has(topic));
    const share = Math.floor(partitionCount / subscribers.length);
    const longer = partitionCount % subscribers.length;
    let next = 0;
    for (const [index, { memberId }] of subscribers.entries()) {
      const length = share + (index < longer ? 1 : 0);
      if (length === 0) break;
      const first = next;
      assigned.get(memberId)!.set(
        topic,
        Array.from({ length }, (_, at) => first + at),
      );
      next += length;
    }
  }
  return assigned;
}

/**
 * Static members come before the others, as in Kafka: they keep their position when any member rejoins with another
 * member id.
 */
function byName(a: Subscriber, b: Subscriber): number {
  if ((a.instanceId === null) !== (b.instanceId === null)) return a.instanceId === null ? 1 : -1;
  return (a.instanceId ?? a.memberId) < (b.instanceId ?? b.memberId) ? -1 : 1;
}
