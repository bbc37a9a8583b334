import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const topicsWithoutRetention = defineCheck({
  name: 'topics_without_retention',
  type: 'storage',
  source: 'control_plane',
  severity: 'low',
  title: 'A topic keeps its records for ever',
  observes:
    'Topics whose cleanup.policy is not delete, and those that have neither retention.ms nor retention.bytes.',
  explanation: 'Its part of the bucket grows without end, and so does the bill.',
  fix: 'Set retention.ms or retention.bytes of the topic, and cleanup.policy=compact,delete where it is compact, which has no effect by itself. Where everything is kept on purpose, mute this diagnostic.',
  run({ topics }) {
    if (topics === undefined) return { missing: 'topics' };
    return topics
      .filter(
        ({ name, isDeleting, retentionMs, retentionBytes }) =>
          !name.startsWith('__') &&
          (!isDeleting || (retentionMs === undefined && retentionBytes === undefined)),
      )
      .map(({ name, partitionCount, isDeleting }) => ({
        entity: { kind: 'topic', name },
        message: `${name} with ${counted(partitionCount, 'partition')} keeps everything${isDeleting ? '' : ', because its cleanup.policy is not delete'}.`,
        weight: partitionCount,
      }));
  },
});
