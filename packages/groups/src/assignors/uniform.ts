import type { AssignorMember } from './assignor-member.ts';
import { LoadHeap } from './load-heap.ts';
import type { TopicPartitions } from './partitions.ts';

interface Share {
  readonly member: AssignorMember;
  readonly partitions: Map<string, number[]>;
  load: number;
}

/**
 * Balances the number of partitions per member and moves as few partitions as possible.
 *
 * Members with equal subscriptions end within one partition of each other. With different subscriptions, no partition
 * can move to another subscriber of its topic and bring the two loads closer.
 */
export function assignUniformly(
  members: readonly AssignorMember[],
  topics: ReadonlyMap<string, number>,
): Map<string, TopicPartitions> {
  const shares = [...members]
    .sort((a, b) => (a.memberId < b.memberId ? -1 : 1))
    .map((member): Share => ({ member, partitions: new Map(), load: 0 }));
  const first = members[0];
  if (first !== undefined) {
    const isAlike = members.every(({ topics: own }) => own === first.topics);
    if (isAlike) shareAlike(shares, topics);
    else shareByTopic(shares, topics);
  }
  return new Map(shares.map(({ member, partitions }) => [member.memberId, ascending(partitions)]));
}

/** All members subscribe to all topics: members above the quota give up the excess, and members below it receive it. */
function shareAlike(shares: readonly Share[], topics: ReadonlyMap<string, number>): void {
  const free = new FreePartitions(topics);
  let partitionCount = 0;
  for (const count of topics.values()) partitionCount += count;
  const quota = Math.floor(partitionCount / shares.length);
  let longer = partitionCount % shares.length;
  for (const share of shares) {
    const own = free.available(share.member.before);
    const isLonger = own.length > quota && longer > 0;
    if (isLonger) longer--;
    for (const [topicId, partition] of own.slice(0, quota + (isLonger ? 1 : 0))) {
      free.take(topicId, partition);
      give(share, topicId, partition);
    }
  }
  const left = free.rest();
  for (const share of shares) {
    while (share.load < quota) give(share, ...left.pop()!);
  }
  for (const share of shares) {
    if (left.length === 0) break;
    if (share.load === quota) give(share, ...left.pop()!);
  }
}

/**
 * Members retain what they may own; free partitions go to the member with the lowest load; then topics are balanced one
 * after the other.
 */
function shareByTopic(shares: readonly Share[], topics: ReadonlyMap<string, number>): void {
  const free = new FreePartitions(topics);
  for (const share of shares) {
    for (const [topicId, partition] of free.available(share.member.before)) {
      if (!share.member.topics.has(topicId)) continue;
      free.take(topicId, partition);
      give(share, topicId, partition);
    }
  }
  const listeners = listenersByTopic(shares, topics);
  // Topics with few subscribers first: a member with fewer choices is served before one with more.
  const order = [...listeners].sort(([, a], [, b]) => a.length - b.length);
  const left = Map.groupBy(free.rest(), ([topicId]) => topicId);
  for (const [topicId, own] of order) {
    const heap = new LoadHeap(own, (a, b) => a.load - b.load);
    for (const [, partition] of left.get(topicId) ?? []) {
      heap.changeFirst((share) => give(share, topicId, partition));
    }
  }
  while (order.map(([topicId, own]) => evenOut(topicId, own)).includes(true));
}

/**
 * Moves partitions of a topic from the member with the highest load to the one with the lowest. Every move brings two
 * loads closer, so the loop ends.
 */
function evenOut(topicId: string, listeners: readonly Share[]): boolean {
  const least = new LoadHeap(listeners, (a, b) => a.load - b.load);
  const most = new LoadHeap(
    listeners.filter(({ partitions }) => (partitions.get(topicId)?.length ?? 0) > 0),
    (a, b) => b.load - a.load,
  );
  let hasMoved = false;
  for (;;) {
    const from = most.first;
    const to = least.first;
    if (from === undefined || to === undefined) return hasMoved;
    if (from.partitions.get(topicId)!.length === 0) {
      most.dropFirst();
      continue;
    }
    if (from.load - to.load < 2) return hasMoved;
    const partition = from.partitions.get(topicId)!.pop()!;
    from.load--;
    give(to, topicId, partition);
    hasMoved = true;
    // Each of the two members may also be in the other heap, which is then out of order. The next pass sorts again.
    most.changeFirst(() => {});
    least.changeFirst(() => {});
  }
}

function listenersByTopic(
  shares: readonly Share[],
  topics: ReadonlyMap<string, number>,
): Map<string, Share[]> {
  const listeners = new Map<string, Share[]>(Array.from(topics.keys(), (topicId) => [topicId, []]));
  for (const share of shares) {
    for (const topicId of share.member.topics) listeners.get(topicId)?.push(share);
  }
  return listeners;
}

function give(share: Share, topicId: string, partition: number): void {
  const own = share.partitions.get(topicId);
  if (own === undefined) share.partitions.set(topicId, [partition]);
  else own.push(partition);
  share.load++;
}

function ascending(partitions: Map<string, number[]>): TopicPartitions {
  for (const [topicId, numbers] of partitions) {
    if (numbers.length === 0) partitions.delete(topicId);
    else numbers.sort((a, b) => a - b);
  }
  return partitions;
}

/** Tracks the partitions that have no owner yet. */
class FreePartitions {
  readonly #taken: ReadonlyMap<string, Uint8Array>;

  constructor(topics: ReadonlyMap<string, number>) {
    this.#taken = new Map(Array.from(topics, ([topicId, count]) => [topicId, new Uint8Array(count)]));
  }

  available(partitions: TopicPartitions): [topicId: string, partition: number][] {
    const available: [string, number][] = [];
    for (const [topicId, numbers] of partitions) {
      const taken = this.#taken.get(topicId);
      for (const number of numbers) if (taken?.[number] === 0) available.push([topicId, number]);
    }
    return available;
  }

  take(topicId: string, partition: number): void {
    this.#taken.get(topicId)![partition] = 1;
  }

  /** The last entry is assigned first. */
  rest(): [topicId: string, partition: number][] {
    const rest: [string, number][] = [];
    for (const [topicId, taken] of this.#taken) {
      for (const [partition, isTaken] of taken.entries()) if (isTaken === 0) rest.push([topicId, partition]);
    }
    return rest.reverse();
  }
}
