import type { AssignorMember } from '../assignors/assignor-member.ts';
import type { TopicPartitions } from '../assignors/partitions.ts';
import { assignUniformly } from '../assignors/uniform.ts';

/** The name that Kafka uses. */
export const simpleAssignor = 'simple';

/**
 * Assigns partitions to members that may share them: every partition has a member, every member has a partition if it
 * subscribes to any, and the load is even. First each partition goes to one member; members without any then share the
 * partitions with the fewest members.
 */
export function assignSimply(
  members: readonly AssignorMember[],
  topics: ReadonlyMap<string, number>,
): Map<string, TopicPartitions> {
  const targets = assignUniformly(members.map(withoutShared()), topics);
  const holders = new Map<string, number[]>();
  for (const [topicId, partitionCount] of topics) holders.set(topicId, new Array(partitionCount).fill(0));
  for (const target of targets.values()) {
    for (const [topicId, numbers] of target) for (const number of numbers) holders.get(topicId)![number]!++;
  }
  const idle = members.filter(({ memberId }) => targets.get(memberId)?.size === 0);
  for (const { memberId, topics: topicIds, before } of idle.sort((a, b) =>
    a.memberId < b.memberId ? -1 : 1,
  )) {
    const place = fewestHolders(holders, topicIds, before);
    if (place === undefined) continue;
    holders.get(place.topicId)![place.partition]!++;
    targets.set(memberId, new Map([[place.topicId, [place.partition]]]));
  }
  return targets;
}

/**
 * A partition that two members had counts for the first one only, because the first round assigns each partition once.
 */
function withoutShared(): (member: AssignorMember) => AssignorMember {
  const taken = new Set<string>();
  return (member) => {
    const before = new Map<string, readonly number[]>();
    for (const [topicId, numbers] of member.before) {
      const own = numbers.filter((number) => !taken.has(`${topicId}/${number}`));
      for (const number of own) taken.add(`${topicId}/${number}`);
      if (own.length > 0) before.set(topicId, own);
    }
    return { ...member, before };
  };
}

interface Place {
  readonly topicId: string;
  readonly partition: number;
}

/** On a tie, prefers a partition that the member had before. */
function fewestHolders(
  holders: ReadonlyMap<string, readonly number[]>,
  topicIds: ReadonlySet<string>,
  before: TopicPartitions,
): Place | undefined {
  let best: Place | undefined;
  let bestCount = Number.POSITIVE_INFINITY;
  let wasBestAssigned = false;
  for (const topicId of topicIds) {
    const partitionsBefore = before.get(topicId) ?? [];
    for (const [partition, count] of (holders.get(topicId) ?? []).entries()) {
      if (count > bestCount) continue;
      const wasAssigned = partitionsBefore.includes(partition);
      if (count === bestCount && (wasBestAssigned || !wasAssigned)) continue;
      best = { topicId, partition };
      bestCount = count;
      wasBestAssigned = wasAssigned;
    }
  }
  return best;
}
