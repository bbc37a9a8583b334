import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const topicsWithoutRetention = defineCheck({
  name: 'topics_without_retention',
  type: 'storage',
  source: 'control_plane',
  severity: 'low',
  title: 'A topic keeps its records for ever',
  observes:
    'Topics whose cleanup.policy is delete, and that have neither retention.ms nor retention.bytes. A compacted topic keeps a record per key.',
  explanation: 'Its part of the bucket grows without end, and so does the bill.',
  fix: 'Set retention.ms or retention.bytes of the topic. Where everything is kept on purpose, mute this diagnostic.',
  run({ topics }) {
    if (topics === undefined) return { missing: 'topics' };
    return topics
      .filter(
        ({ name, isDeleting, retentionMs, retentionBytes }) =>
          !name.startsWith('__') && isDeleting && retentionMs === undefined && retentionBytes === undefined,
      )
      .map(({ name, partitionCount }) => ({
        entity: { kind: 'topic', name },
        message: `${name} with ${counted(partitionCount, 'partition')} keeps everything.`,
        weight: partitionCount,
      }));
  },
});
