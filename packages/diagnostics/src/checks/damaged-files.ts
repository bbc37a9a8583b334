import { defineCheck } from '../check.ts';
import type { DamagedFileFacts } from '../diagnostic-snapshot.ts';
import { count, counted } from '../number-texts.ts';

const damageTexts = {
  missing: 'is missing from the bucket',
  short: 'is truncated',
  corrupt: 'fails its checksum',
} as const satisfies Record<DamagedFileFacts['kind'], string>;

export const damagedFiles = defineCheck({
  name: 'damaged_files',
  type: 'storage',
  source: 'agent',
  severity: 'critical',
  title: 'Damaged files in the bucket',
  observes:
    'Committed files that agents found missing, truncated or corrupt while serving a fetch. An unavailable object store does not count.',
  explanation:
    'Consumers of the affected partitions get the records before the damage, then KAFKA_STORAGE_ERROR, and CORRUPT_MESSAGE if it persists. Other partitions are not affected, and corrupt bytes are never served.',
  fix: 'Restore the object from an object version or a replica of the bucket; consumers then recover automatically. Without one the offsets are lost: seek consumers past them, or delete them with DeleteRecords. Find out what deleted or changed the object, for example a lifecycle rule.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ damagedFiles }) {
    if (damagedFiles === undefined) return { missing: 'agent reports' };
    return damagedFiles.map(({ fileId, kind, partitions, partitionCount }) => {
      const places = partitions.map(
        ({ topic, partition, firstOffset, nextOffset }) =>
          `${topic} partition ${partition} offsets ${count(firstOffset)} to ${count(nextOffset - 1)}`,
      );
      const others = partitionCount - partitions.length;
      if (others > 0) places.push(`${counted(others, 'other partition')}`);
      return {
        entity: { kind: 'file', name: fileId } as const,
        message: `File ${fileId} ${damageTexts[kind]}: ${places.join(', ')} unreadable.`,
        weight: partitionCount,
      };
    });
  },
});
