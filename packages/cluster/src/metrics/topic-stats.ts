import { type Clock, coreLimits } from '@weir/core';
import { CallRefused } from '../calls/call-errors.ts';
import type { TopicDescription } from '../calls/topic-calls.ts';
import { clusterLimits } from '../limits.ts';
import { breaksBy } from './breaks.ts';
import type { CombinedStats } from './combined-stats.ts';
import type { MeasuredClusterView, MeasuredPort } from './measured-cluster-view.ts';
import {
  fileCount,
  maxOffset,
  minOffset,
  partitionBytes,
  partitionCount,
  partitionCountMax,
  producedRecords,
  recordCount,
  topicCount,
  topicCountMax,
} from './topic-metrics.ts';

/** Adds totals of the cluster: a fixed number of series. */
export async function addClusterStats(view: MeasuredClusterView, stats: CombinedStats): Promise<void> {
  let topics = 0;
  let partitions = 0;
  for (const topic of view.topics()) {
    topics++;
    partitions += topic.partitionCount;
  }
  stats.add(topicCount, {}, topics);
  // A topic has at least one partition, so the limits are equal.
  stats.add(topicCountMax, {}, coreLimits.partitionsPerClusterMax);
  stats.add(partitionCount, {}, partitions);
  stats.add(partitionCountMax, {}, coreLimits.partitionsPerClusterMax);
  for (const [level, count] of (await fileCounts(view.port)).entries())
    stats.add(fileCount, { level: String(level) }, count);
}

/** Adds stats per partition. Topics are sorted by name, so that every round has the same order. */
export async function addTopicStats(
  view: MeasuredClusterView,
  stats: CombinedStats,
  clock: Clock,
): Promise<void> {
  const breakOf = breaksBy(clock);
  const topics = [...view.topics()].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { topicId, name, partitionCount: count } of topics) {
    for (let index = 0; index < count; index++) {
      const ends = view.ends(topicId, index);
      if (ends === undefined) continue;
      const labels = { topic: name, partition: String(index) };
      stats.add(maxOffset, labels, ends.nextOffset);
      stats.add(minOffset, labels, ends.logStartOffset);
      stats.add(recordCount, labels, ends.nextOffset - ends.logStartOffset);
      stats.add(producedRecords, labels, ends.nextOffset);
      const due = breakOf();
      if (due !== undefined) await due;
    }
  }
  for (let at = 0; at < topics.length; at += clusterLimits.logSizesPerCallMax)
    await addSizes(view.port, topics.slice(at, at + clusterLimits.logSizesPerCallMax), stats, breakOf);
}

async function addSizes(
  port: MeasuredPort,
  topics: readonly TopicDescription[],
  stats: CombinedStats,
  breakOf: ReturnType<typeof breaksBy>,
): Promise<void> {
  const sizes = await port.logSizes(topics.map(({ topicId }) => topicId));
  let row = 0;
  for (const [index, { name }] of topics.entries()) {
    // 0 for a topic that has been deleted since; more than before for one that has grown.
    const count = sizes.partitionCount[index]!;
    for (let partition = 0; partition < count; partition++, row++) {
      stats.add(partitionBytes, { topic: name, partition: String(partition) }, sizes.byteCount[row]!);
      const due = breakOf();
      if (due !== undefined) await due;
    }
  }
}

/** During a rolling upgrade, a leader of an older release does not have this call. */
async function fileCounts(port: MeasuredPort): Promise<readonly number[]> {
  try {
    return await port.countFiles();
  } catch (error) {
    if (error instanceof CallRefused) return [];
    throw error;
  }
}
