import type { ClusterView } from '../cluster/cluster-view.ts';
import type { CombinedFigures } from './combined-figures.ts';
import { type GroupFigures, placeKey } from './group-figures.ts';
import { lagOf, type WrittenAt, writtenAtMs } from './lag.ts';
import {
  groupGeneration,
  groupLag,
  groupLagSeconds,
  groupMaxOffset,
  groupMemberCount,
  groupPartitionCount,
  groupState,
  groupTopicCount,
  maxOffset,
  minOffset,
  partitionCount,
  recordCount,
  topicCount,
} from './published-metrics.ts';

/** What partitions hold, topics by name so that every round has the same order. */
export function addTopicFigures(view: ClusterView, figures: CombinedFigures): void {
  const topics = [...view.topics()].sort((a, b) => (a.name < b.name ? -1 : 1));
  let partitions = 0;
  for (const { topicId, name, partitionCount: count } of topics) {
    partitions += count;
    for (let index = 0; index < count; index++) {
      const ends = view.ends(topicId, index);
      if (ends === undefined) continue;
      const labels = { topic: name, partition: String(index) };
      figures.add(maxOffset, labels, ends.nextOffset);
      figures.add(minOffset, labels, ends.logStartOffset);
      figures.add(recordCount, labels, ends.nextOffset - ends.logStartOffset);
    }
  }
  figures.add(topicCount, {}, topics.length);
  figures.add(partitionCount, {}, partitions);
}

/** What groups do, and how far they are behind. */
export async function addGroupFigures(
  view: ClusterView,
  groups: readonly GroupFigures[],
  nowMs: number,
  figures: CombinedFigures,
): Promise<void> {
  const behind = new Map<string, WrittenAt>();
  const waiting: { readonly labels: PartitionLabels; readonly record: string | undefined }[] = [];
  for (const group of groups) {
    const { groupId, state, memberCount, generation, partitions } = group;
    const ofGroup = { consumer_group: groupId };
    const topicIds = new Set<string>();
    let count = 0;
    for (const { topicId, partition, committedOffset } of partitions) {
      const name = view.topicById(topicId)?.name;
      const ends = view.ends(topicId, partition);
      if (name === undefined || ends === undefined) continue;
      topicIds.add(topicId);
      count++;
      const labels = { ...ofGroup, topic: name, partition: String(partition) };
      const { records, waitingOffset } = lagOf(committedOffset, ends);
      figures.add(groupLag, labels, records);
      if (committedOffset !== undefined) figures.add(groupMaxOffset, labels, committedOffset);
      let record: string | undefined;
      if (waitingOffset !== undefined) {
        record = `${placeKey({ topicId, partition })} ${waitingOffset}`;
        behind.set(record, { topicId, partition, offset: waitingOffset });
      }
      waiting.push({ labels, record });
    }
    figures.add(groupState, { ...ofGroup, group_state: state }, 1);
    figures.add(groupMemberCount, ofGroup, memberCount);
    figures.add(groupTopicCount, ofGroup, topicIds.size);
    figures.add(groupPartitionCount, ofGroup, count);
    if (generation !== undefined) figures.add(groupGeneration, ofGroup, generation);
  }
  const times = await writtenAtMs(view, [...behind.values()]);
  const timeOf = new Map([...behind.keys()].map((record, index) => [record, times[index]]));
  for (const { labels, record } of waiting) {
    const timeMs = record === undefined ? nowMs : timeOf.get(record);
    // Records that retention has just taken keep nobody waiting.
    figures.add(groupLagSeconds, labels, timeMs === undefined ? 0 : Math.max(0, nowMs - timeMs) / 1000);
  }
}

interface PartitionLabels {
  readonly topic: string;
  readonly consumer_group: string;
  readonly partition: string;
}
