import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const migrationPartitionStopped = defineCheck({
  name: 'migration_partition_stopped',
  type: 'pipelines',
  source: 'agent',
  severity: 'high',
  title: 'Partitions of a migration are stopped',
  observes:
    'Partitions that a running migration does not copy any more: the source was truncated or its topic made again, a batch is damaged, or the copy has other records.',
  explanation:
    'Copying on would overwrite records, or leave a hole that readers do not know of, so that the partition waits for a decision. Its topic cannot be cut over.',
  fix: 'Read the error in weir cli migrate status -topic. If the source can be mended, mend it, then weir cli migrate pause and resume: stopped partitions are looked at again. If the source is right as it is now, weir cli migrate recopy deletes the copy and copies the topic again from its beginning. If the copy is right, weir cli migrate hand-over ends the migration of the topic.',
  kinds: ['kafka'],
  run({ migration }) {
    if (migration === undefined) return { missing: 'migration' };
    return (migration?.topics ?? []).flatMap(({ name, partitionCount, stopped }) => {
      const [first] = stopped;
      if (first === undefined) return [];
      return [
        {
          entity: { kind: 'topic', name } as const,
          message: `Topic ${name}: ${stopped.length} of ${counted(partitionCount, 'partition')} stopped; partition ${first.partition}: ${first.error}`,
          weight: stopped.length,
        },
      ];
    });
  },
});
