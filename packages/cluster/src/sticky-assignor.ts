import type { NamedPartitions } from './consumer-protocol.ts';
import type { Subscriber } from './range-assignor.ts';

/** A member and what it says that it has. */
export interface OwningSubscriber extends Subscriber {
  readonly owned: readonly NamedPartitions[];
  /** The generation in which it got them; -1 if it does not say. */
  readonly generationId: number;
}

/** The name that all clients use. */
export const cooperativeStickyAssignorName = 'cooperative-sticky';

type Assigned = Map<string, Map<string, number[]>>;

/**
 * Gives all members about equally many partitions and lets them keep what they have. A partition that moves has no
 * owner in this round: its owner has to give it up first and joins again, and the next round hands it out. So members
 * go on reading what they keep while a group rebalances.
 */
export function assignCooperatively(
  members: readonly OwningSubscriber[],
  partitionCounts: ReadonlyMap<string, number>,
): Map<string, ReadonlyMap<string, readonly number[]>> {
  const inOrder = members.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const owners = ownersOf(inOrder, partitionCounts);
  const assigned: Assigned = new Map(inOrder.map(({ memberId }) => [memberId, new Map()]));
  const counts = new Map(inOrder.map(({ memberId }) => [memberId, 0]));
  const give = (memberId: string, topic: string, partition: number) => {
    const ofMember = assigned.get(memberId)!;
    const partitions = ofMember.get(topic);
    if (partitions === undefined) ofMember.set(topic, [partition]);
    else partitions.push(partition);
    counts.set(memberId, counts.get(memberId)! + 1);
  };

  const subscribers = new Map(
    [...partitionCounts.keys()].map((topic) => [topic, inOrder.filter(({ topics }) => topics.has(topic))]),
  );
  const total = [...partitionCounts].reduce(
    (sum, [topic, count]) => sum + (subscribers.get(topic)!.length > 0 ? count : 0),
    0,
  );
  const least = Math.floor(total / Math.max(1, inOrder.length));
  // So many members have one more than the others.
  let longer = total % Math.max(1, inOrder.length);
  const left: [topic: string, partition: number][] = [];
  for (const [topic, count] of partitionCounts) {
    if (subscribers.get(topic)!.length === 0) continue;
    for (let partition = 0; partition < count; partition++) {
      const owner = owners.get(keyOf(topic, partition));
      const has = owner === undefined ? undefined : counts.get(owner)!;
      if (has === undefined || has > least || (has === least && longer === 0)) left.push([topic, partition]);
      else {
        if (has === least) longer--;
        give(owner!, topic, partition);
      }
    }
  }
  for (const [topic, partition] of left) {
    const [first, ...others] = subscribers.get(topic)!;
    let lightest = first!.memberId;
    for (const { memberId } of others) if (counts.get(memberId)! < counts.get(lightest)!) lightest = memberId;
    const owner = owners.get(keyOf(topic, partition));
    if (owner === undefined || owner === lightest) give(lightest, topic, partition);
    // It counts as given, so that the next round gives it to the same member.
    else counts.set(lightest, counts.get(lightest)! + 1);
  }
  return assigned;
}

/** Who has which partition: of several members that say so, the one that got it last. */
function ownersOf(
  members: readonly OwningSubscriber[],
  partitionCounts: ReadonlyMap<string, number>,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const generations = new Map<string, number>();
  for (const { memberId, topics, owned, generationId } of members) {
    for (const { topic, partitions } of owned) {
      if (!topics.has(topic)) continue;
      for (const partition of partitions) {
        const key = keyOf(topic, partition);
        const isKnown = partition >= 0 && partition < (partitionCounts.get(topic) ?? 0);
        if (!isKnown || generationId <= (generations.get(key) ?? Number.NEGATIVE_INFINITY)) continue;
        owners.set(key, memberId);
        generations.set(key, generationId);
      }
    }
  }
  return owners;
}

function keyOf(topic: string, partition: number): string {
  return `${topic}:${partition}`;
}
