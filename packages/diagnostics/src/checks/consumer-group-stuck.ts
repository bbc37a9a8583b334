import { defineCheck } from '../check.ts';
import type { GroupFacts } from '../diagnostic-snapshot.ts';
import { type GroupHistory, lagOfPartition } from '../history.ts';
import { partitionsByTopic } from '../lagging-partitions.ts';
import { count, counted, duration } from '../number-texts.ts';

export const stuckMsMin = 10 * 60_000;

export const consumerGroupStuck = defineCheck({
  name: 'consumer_group_stuck',
  type: 'consumers',
  source: 'control_plane',
  severity: 'high',
  title: 'Consumer group stuck',
  observes: `Partitions of groups with members that have lag and no offset commit for ${duration(stuckMsMin)}. Partitions without a committed offset count in the lag of the API and the metrics, but not here: some clients commit only partitions they have read.`,
  explanation:
    'The members are alive but do not commit: they hang, fail repeatedly on one record, or rebalance continuously. Unread records are lost when retention removes them.',
  fix: 'Search the logs of the members for the named partition and offset. Skip a poison record or send it to a dead letter queue; for members that exceed max.poll.interval.ms, raise it or lower max.poll.records.',
  // The time in the rule is damping enough.
  damping: { failAfterRuns: 1, recoverAfterRuns: 2 },
  run({ groups, atMs }, history) {
    if (groups === undefined) return { missing: 'group offsets' };
    return groups.flatMap((group) => {
      const stuck = stuckPartitions(group, history.groups.get(group.groupId), atMs);
      const [worst] = stuck;
      if (worst === undefined) return [];
      const where = `${worst.topic} partition ${worst.partition} at offset ${count(worst.committedOffset)}`;
      const others = stuck.length === 1 ? '' : ` (${partitionsByTopic(stuck)})`;
      return [
        {
          entity: { kind: 'group', name: group.groupId } as const,
          message: `Group ${group.groupId} is stuck in ${count(stuck.length)} of ${counted(group.partitions.length, 'partition')}${others}: ${where} for ${duration(atMs - worst.sinceMs)}, lag ${counted(worst.lag, 'record')}; ${counted(group.memberCount, 'member')}.`,
          weight: stuck.reduce((sum, { lag }) => sum + lag, 0),
          sinceMs: worst.sinceMs,
        },
      ];
    });
  },
});

/** Returns stuck partitions, the longest stuck first. */
function stuckPartitions(group: GroupFacts, history: GroupHistory | undefined, atMs: number) {
  if (group.memberCount === 0) return [];
  return group.partitions
    .flatMap(({ topic, partition, committedOffset, endOffset }) => {
      const sinceMs = history?.partitions.get(`${topic}-${partition}`)?.waitingSinceMs;
      if (sinceMs === undefined || atMs - sinceMs < stuckMsMin) return [];
      const lag = lagOfPartition(committedOffset, endOffset);
      return [{ topic, partition, committedOffset, lag, sinceMs }];
    })
    .sort((a, b) => a.sinceMs - b.sinceMs || b.lag - a.lag);
}
