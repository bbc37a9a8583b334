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
  title: 'A consumer group does not get on',
  observes: `Partitions with a committed offset, of groups with members, where there is something to read and no offset was committed for ${duration(stuckMsMin)}. A partition without any commit counts in the lag of the API and of metrics, and not here: some clients commit only what they have read.`,
  explanation:
    'The members are there and do not commit: they hang, fail at one record again and again, or rebalance without end. Records wait until retention removes them unread.',
  fix: 'Look into the logs of the members for the partition and offset that are named. A record that cannot be processed has to be skipped or stored elsewhere; members that take too long per poll need a larger max.poll.interval.ms or a smaller max.poll.records.',
  // The time in the rule is damping enough.
  damping: { failAfterRuns: 1, recoverAfterRuns: 2 },
  run({ groups, atMs }, history) {
    if (groups === undefined) return { missing: 'offsets of groups' };
    return groups.flatMap((group) => {
      const stuck = stuckPartitions(group, history.groups.get(group.groupId), atMs);
      const [worst] = stuck;
      if (worst === undefined) return [];
      const where = `${worst.topic} partition ${worst.partition} at offset ${count(worst.committedOffset)}`;
      const others = stuck.length === 1 ? '' : ` (${partitionsByTopic(stuck)})`;
      return [
        {
          entity: { kind: 'group', name: group.groupId } as const,
          message: `Group ${group.groupId} stands still in ${count(stuck.length)} of ${counted(group.partitions.length, 'partition')}${others}: ${where} for ${duration(atMs - worst.sinceMs)} with ${counted(worst.lag, 'record')} to read; the group has ${counted(group.memberCount, 'member')}.`,
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
