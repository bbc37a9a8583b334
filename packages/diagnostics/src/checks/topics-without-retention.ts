import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const topicsWithoutRetention = defineCheck({
  name: 'topics_without_retention',
  type: 'storage',
  source: 'control_plane',
  severity: 'low',
  title: 'Topic without retention',
  observes:
    'Topics with cleanup.policy=delete and unlimited retention.ms and retention.bytes. Compacted topics do not count.',
  explanation: 'The storage of the topic, and its cost, grow without limit.',
  fix: 'Set retention.ms or retention.bytes of the topic. If unlimited retention is intended, mute this diagnostic.',
  run({ topics }) {
    if (topics === undefined) return { missing: 'topics' };
    return topics
      .filter(
        ({ name, isDeleting, retentionMs, retentionBytes }) =>
          !name.startsWith('__') && isDeleting && retentionMs === undefined && retentionBytes === undefined,
      )
      .map(({ name, partitionCount }) => ({
        entity: { kind: 'topic', name },
        message: `Topic ${name} with ${counted(partitionCount, 'partition')} has unlimited retention.`,
        weight: partitionCount,
      }));
  },
});
