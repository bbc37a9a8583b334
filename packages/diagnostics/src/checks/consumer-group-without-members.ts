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
  title: 'Consumer group has lag and no members',
  observes: `Groups with lag that have had no member for ${duration(emptyMsMin)}.`,
  explanation:
    'Either an application is down, or the group is unused. Its offsets expire after offsets.retention.minutes; an application that returns later starts at auto.offset.reset.',
  fix: 'Restart the application, or delete the group.',
  run({ groups, atMs }, history) {
    if (groups === undefined) return { missing: 'group members' };
    return groups.flatMap((group) => {
      const { groupId, memberCount } = group;
      const sinceMs = group.emptySinceMs ?? history.groups.get(groupId)?.emptySinceMs;
      const lag = lagOf(group);
      if (memberCount > 0 || lag === 0 || sinceMs === undefined || atMs - sinceMs < emptyMsMin) return [];
      return [
        {
          entity: { kind: 'group', name: groupId } as const,
          message: `Group ${groupId} has had no members for ${duration(atMs - sinceMs)}; lag ${counted(lag, 'record')} in ${laggingPartitions(group.partitions)}.`,
          weight: lag,
          sinceMs,
        },
      ];
    });
  },
});
