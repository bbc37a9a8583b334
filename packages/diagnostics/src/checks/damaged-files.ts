import { defineCheck } from '../check.ts';
import type { DamagedFileFacts } from '../diagnostic-snapshot.ts';
import { count, counted } from '../number-texts.ts';

const damageTexts = {
  missing: 'is not in the bucket',
  short: 'ends before its batches do',
  corrupt: 'holds other bytes than were written',
} as const satisfies Record<DamagedFileFacts['kind'], string>;

export const damagedFiles = defineCheck({
  name: 'damaged_files',
  type: 'storage',
  source: 'agent',
  severity: 'critical',
  title: 'Files in the bucket are damaged',
  observes:
    'Committed files that agents found missing, cut off or changed when a consumer came for them. A store that does not answer is not one of these.',
  explanation:
    'Consumers of the partitions get the records before the damage, then KAFKA_STORAGE_ERROR, and CORRUPT_MESSAGE when it lasts. Other partitions are not affected, and no changed byte is served.',
  fix: 'Restore the object from a version or a copy of the bucket: consumers then go on by themselves. If there is none, the offsets are lost: let consumers seek behind them, or delete them with DeleteRecords. Find out what deleted or changed the object, such as a lifecycle rule.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ damagedFiles }) {
    if (damagedFiles === undefined) return { missing: 'reports of agents' };
    return damagedFiles.map(({ fileId, kind, partitions, partitionCount }) => {
      const places = partitions.map(
        ({ topic, partition, firstOffset, nextOffset }) =>
          `${topic} partition ${partition} offsets ${count(firstOffset)} to ${count(nextOffset - 1)}`,
      );
      const others = partitionCount - partitions.length;
      if (others > 0) places.push(`${counted(others, 'other partition')}`);
      return {
        entity: { kind: 'file', name: fileId } as const,
        message: `File ${fileId} ${damageTexts[kind]}: ${places.join(', ')} cannot be read.`,
        weight: partitionCount,
      };
    });
  },
});
