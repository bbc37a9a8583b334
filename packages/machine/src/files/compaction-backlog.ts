import type { LateLevel } from '@weir/cluster';
import { fileIdLevelMax } from '@weir/core';
import type { FileTable } from '../log/file-table.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { compactionNeed } from './choose-groups.ts';

/**
 * Finds levels whose files should have been merged before a time, in steps. Files that existed then and fill a group
 * were due then: a group is merged as soon as it is full. Two groups of bytes are sure to contain a full one.
 */
export function* compactionBacklog(
  files: FileTable,
  limits: MachineLimits,
  beforeMs: number,
): Generator<void, LateLevel[]> {
  const levels = Array.from({ length: fileIdLevelMax + 1 }, (_, level) => {
    return { level, files: 0, bytes: 0, oldestMs: Number.POSITIVE_INFINITY };
  });
  const { slotCount } = files;
  for (let slot = 0; slot < slotCount; slot++) {
    if ((slot + 1) % limits.compactionRowsPerStep === 0) yield;
    if (!files.isReferenced(slot)) continue;
    const timeMs = files.timeMs(slot);
    if (timeMs > beforeMs || compactionNeed(files, limits, slot) !== 'merge') continue;
    const level = levels[files.level(slot)]!;
    level.files++;
    level.bytes += files.liveBytes(slot);
    level.oldestMs = Math.min(level.oldestMs, timeMs);
  }
  return levels.filter(
    ({ files, bytes }) => files >= limits.compactionFanIn || bytes >= 2 * limits.compactedFileBytesMax,
  );
}
