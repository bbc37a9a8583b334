import { fileIdLevelMax } from '@weir/core';
import type { FileTable } from '../log/file-table.ts';
import type { MachineLimits } from '../machine-limits.ts';

/** Files that become files of a level. */
export interface FileGroup {
  readonly level: number;
  readonly slots: readonly number[];
}

interface Candidate {
  readonly slot: number;
  readonly timeMs: number;
  readonly liveBytes: number;
  readonly pointerCount: number;
}

/**
 * Chooses files to compact, in steps. Per level, the oldest files form groups; a group is due when it is full or when
 * its oldest file has waited for long enough. Files of which less than half is alive are rewritten on their own level.
 */
export function* chooseGroups(
  files: FileTable,
  limits: MachineLimits,
  nowMs: number,
  isExcluded: (fileId: string) => boolean,
): Generator<void, FileGroup[]> {
  const oldest = Array.from({ length: fileIdLevelMax + 1 }, () => new Oldest(limits));
  const sparse = Array.from({ length: fileIdLevelMax + 1 }, () => new Oldest(limits));
  // Slots that are added meanwhile are those of young files.
  const { slotCount } = files;
  for (let slot = 0; slot < slotCount; slot++) {
    if ((slot + 1) % limits.compactionRowsPerStep === 0) yield;
    if (!files.isReferenced(slot)) continue;
    const timeMs = files.timeMs(slot);
    if (timeMs > nowMs - limits.compactionYoungMs) continue;
    const need = compactionNeed(files, limits, slot);
    if (need === 'none' || isExcluded(files.reference(slot))) continue;
    const candidate = {
      slot,
      timeMs,
      liveBytes: files.liveBytes(slot),
      pointerCount: files.pointerCount(slot),
    };
    (need === 'rewrite' ? sparse : oldest)[files.level(slot)]!.add(candidate);
  }
  const groups: FileGroup[] = [];
  for (const [level, found] of sparse.entries()) {
    for (const { slots } of cut(found.take(), limits, 1)) groups.push({ level, slots });
  }
  // Lower levels first: they hold most files and pointers.
  for (const [level, found] of oldest.entries()) {
    const waitMs = limits.compactionWaitMs * limits.compactionFanIn ** level;
    for (const { slots, isFull } of cut(found.take(), limits, 2)) {
      const isDue = isFull || files.timeMs(slots[0]!) <= nowMs - waitMs;
      if (isDue) groups.push({ level: level + 1, slots });
    }
  }
  return groups.slice(0, limits.compactionJobsPerPlanMax);
}

/**
 * Upper bound of what a merged file has besides batches: header, trailer, and a footer with an entry per topic and
 * partition, each of which has at least one pointer. These bytes are alive as long as the file is. If they counted as
 * dead, a small file would be sparse again as soon as it was rewritten, and jobs would rewrite it for ever.
 */
function frameBytesMax(pointerCount: number): number {
  return 320 + 68 * pointerCount;
}

/** What compaction does with a referenced file: merge it with others, rewrite it on its level, or leave it. */
export function compactionNeed(
  files: FileTable,
  limits: Pick<MachineLimits, 'compactedFileBytesMax'>,
  slot: number,
): 'merge' | 'rewrite' | 'none' {
  const liveBytes = files.liveBytes(slot);
  const level = files.level(slot);
  if (level > 0 && 2 * liveBytes < files.fileBytes(slot) - frameBytesMax(files.pointerCount(slot)))
    return 'rewrite';
  const isLarge = liveBytes >= limits.compactedFileBytesMax / 2;
  return isLarge || level === fileIdLevelMax ? 'none' : 'merge';
}

/** The oldest files of those that are added, as many as a plan can use. */
class Oldest {
  readonly #countMax: number;
  #found: Candidate[] = [];

  constructor({ compactionFanIn, compactionJobsPerPlanMax }: MachineLimits) {
    this.#countMax = compactionFanIn * compactionJobsPerPlanMax;
  }

  add(candidate: Candidate): void {
    this.#found.push(candidate);
    if (this.#found.length >= 2 * this.#countMax) this.#shorten();
  }

  take(): Candidate[] {
    this.#shorten();
    return this.#found;
  }

  #shorten(): void {
    this.#found.sort((a, b) => a.timeMs - b.timeMs || a.slot - b.slot);
    this.#found.length = Math.min(this.#found.length, this.#countMax);
  }
}

interface Group {
  readonly slots: number[];
  /** No further file has room. */
  isFull: boolean;
}

/** Cuts files into groups of at least `filesMin`, by number, bytes and pointers. */
function cut(candidates: readonly Candidate[], limits: MachineLimits, filesMin: number): Group[] {
  const groups: Group[] = [];
  let group: Group = { slots: [], isFull: false };
  let bytes = 0;
  let pointers = 0;
  for (const { slot, liveBytes, pointerCount } of candidates) {
    const isTooMuch =
      bytes + liveBytes > limits.compactedFileBytesMax ||
      pointers + pointerCount > limits.compactionPointersMax;
    const { length } = group.slots;
    if (length >= filesMin && (isTooMuch || length >= limits.compactionFanIn)) {
      group.isFull = true;
      groups.push(group);
      group = { slots: [], isFull: false };
      bytes = 0;
      pointers = 0;
    }
    group.slots.push(slot);
    bytes += liveBytes;
    pointers += pointerCount;
  }
  if (group.slots.length >= limits.compactionFanIn) group.isFull = true;
  if (group.slots.length >= filesMin) groups.push(group);
  return groups;
}
