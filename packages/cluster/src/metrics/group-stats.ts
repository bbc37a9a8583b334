import type { Clock } from '@weir/core';
import { breaksBy } from './breaks.ts';
import type { CombinedStats } from './combined-stats.ts';
import {
  groupCommitTime,
  groupGeneration,
  groupLag,
  groupLagSeconds,
  groupMaxOffset,
  groupMemberCount,
  groupPartitionCount,
  groupState,
  groupTopicCount,
} from './group-metrics.ts';
import { lagOf, type WrittenAt, writtenAtMs } from './lag.ts';
import type { MeasuredClusterView } from './measured-cluster-view.ts';
import { placeKey, type ReadGroup } from './read-groups.ts';

const nanosPerMs = 1e6;

/** Adds the state and lag of groups. */
export async function addGroupStats(
  view: MeasuredClusterView,
  groups: readonly ReadGroup[],
  stats: CombinedStats,
  clock: Clock,
): Promise<void> {
  const nowMs = clock.nowMs();
  const breakOf = breaksBy(clock);
  const behind = new Map<string, WrittenAt>();
  const waiting: { readonly labels: PartitionLabels; readonly record: string | undefined }[] = [];
  for (const group of groups) {
    const { groupId, state, memberCount, generation, partitions } = group;
    const ofGroup = { consumer_group: groupId };
    const topicIds = new Set<string>();
    let count = 0;
    for (const { topicId, partition, committedOffset, committedMs, lag } of partitions) {
      const name = view.topicById(topicId)?.name;
      const ends = view.ends(topicId, partition);
      if (name === undefined || ends === undefined) continue;
      topicIds.add(topicId);
      count++;
      const labels = { ...ofGroup, topic: name, partition: String(partition) };
      const { records, waitingOffset } = lagOf(committedOffset, ends);
      stats.add(groupLag, labels, lag ?? records);
      if (committedOffset !== undefined) stats.add(groupMaxOffset, labels, committedOffset);
      if (committedMs !== undefined) stats.add(groupCommitTime, labels, committedMs * nanosPerMs);
      let record: string | undefined;
      if (waitingOffset !== undefined && lag !== 0) {
        record = `${placeKey({ topicId, partition })} ${waitingOffset}`;
        behind.set(record, { topicId, partition, offset: waitingOffset });
      }
      waiting.push({ labels, record });
      const due = breakOf();
      if (due !== undefined) await due;
    }
    stats.add(groupState, { ...ofGroup, group_state: state }, 1);
    stats.add(groupMemberCount, ofGroup, memberCount);
    stats.add(groupTopicCount, ofGroup, topicIds.size);
    stats.add(groupPartitionCount, ofGroup, count);
    if (generation !== undefined) stats.add(groupGeneration, ofGroup, generation);
  }
  const times = await writtenAtMs(view, [...behind.values()]);
  const timeOf = new Map([...behind.keys()].map((record, index) => [record, times[index]]));
  for (const { labels, record } of waiting) {
    const timeMs = record === undefined ? nowMs : timeOf.get(record);
    // Records that retention has just removed do not count as waiting.
    stats.add(groupLagSeconds, labels, timeMs === undefined ? 0 : Math.max(0, nowMs - timeMs) / 1000);
    const due = breakOf();
    if (due !== undefined) await due;
  }
}

interface PartitionLabels {
  readonly topic: string;
  readonly consumer_group: string;
  readonly partition: string;
}
