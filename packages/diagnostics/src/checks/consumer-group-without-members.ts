import { defineCheck } from '../check.ts';
import { lagOf } from '../history.ts';
import { laggingPartitions } from '../lagging-partitions.ts';
import { counted, duration } from '../number-texts.ts';

const emptyMsMin = 24 * 3_600_000;

export const consumerGroupWithoutMembers = defineCheck({
  name: 'consumer_group_without_members',
  type: 'consumers',
  source: 'control_plane',
  severity: 'low',
  title: 'A consumer group has no members',
  observes: `Groups with unread records that have had no member for ${duration(emptyMsMin)}.`,
  explanation:
    'Either an application is down unnoticed, or the group is a leftover. Its offsets are removed after offsets.retention.minutes, and an application that comes back later starts elsewhere.',
  fix: 'Start the application again, or delete the group.',
  run({ groups, atMs }, history) {
    if (groups === undefined) return { missing: 'members of groups' };
    return groups.flatMap((group) => {
      const { groupId, memberCount } = group;
      const sinceMs = group.emptySinceMs ?? history.groups.get(groupId)?.emptySinceMs;
      const lag = lagOf(group);
      if (memberCount > 0 || lag === 0 || sinceMs === undefined || atMs - sinceMs < emptyMsMin) return [];
      return [
        {
          entity: { kind: 'group', name: groupId } as const,
          message: `Group ${groupId} has had no member for ${duration(atMs - sinceMs)}, and ${counted(lag, 'record')} wait for it in ${laggingPartitions(group.partitions)}.`,
          weight: lag,
          sinceMs,
        },
      ];
    });
  },
});
