import type { AssignorMember } from './assignor.ts';
import { LoadHeap } from './load-heap.ts';
import type { TopicPartitions } from './partitions.ts';

interface Share {
  readonly member: AssignorMember;
  readonly partitions: Map<string, number[]>;
  load: number;
}

/**
 * Gives all members equally many partitions, and moves as few as that takes.
 *
 * Members that listen to the same topics end within one of each other. Where they listen to different ones, no partition could go
 * to another listener of its topic and leave the two closer to each other than they are.
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
    const isAlike = members.every(({ topicIds }) => topicIds === first.topicIds);
    if (isAlike) shareAlike(shares, topics);
    else shareByTopic(shares, topics);
  }
  return new Map(shares.map(({ member, partitions }) => [member.memberId, ascending(partitions)]));
}

/** Everybody may have everything: whoever has too much gives the rest away, and whoever has too little gets it. */
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

/** Everybody keeps what they may have; what is free goes to whoever has least; then topics are evened out one after the other. */
function shareByTopic(shares: readonly Share[], topics: ReadonlyMap<string, number>): void {
  const free = new FreePartitions(topics);
  for (const share of shares) {
    for (const [topicId, partition] of free.available(share.member.before)) {
      if (!share.member.topicIds.has(topicId)) continue;
      free.take(topicId, partition);
      give(share, topicId, partition);
    }
  }
  const listeners = listenersByTopic(shares, topics);
  // Topics that few listen to first: whoever has no choice is served before whoever has.
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

/** Moves partitions of a topic from who has most to who has least. Every move brings two loads closer, so that this ends. */
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
    // Each of the two may also stand somewhere in the other heap, which is out of order then. The next pass sorts anew.
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
    for (const topicId of share.member.topicIds) listeners.get(topicId)?.push(share);
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

/** Which partitions nobody has yet. */
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

  /** The last is the first to be given away. */
  rest(): [topicId: string, partition: number][] {
    const rest: [string, number][] = [];
    for (const [topicId, taken] of this.#taken) {
      for (const [partition, isTaken] of taken.entries()) if (isTaken === 0) rest.push([topicId, partition]);
    }
    return rest.reverse();
  }
}
