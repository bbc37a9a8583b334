/**
 * Which small files are merged, without I/O. Files of one partition, spec and time slice are candidates together:
 *
 * - while a partition still gets files, those of about one size are merged when there are several, so that a row is
 *   written again only when its file grows by a factor;
 * - when a partition gets no more files, what is left is merged, but for a file that is much larger than the others.
 *
 * The oldest files come first.
 */
import { type DataFile, type LiveEntry, partitionKey, type Value } from '@weir/iceberg';

export interface CompactionRules {
  /** The size of new files. Those of at least three quarters stay as they are. */
  readonly targetBytes: number;
  /** So many files of one size are merged while a partition still gets files. */
  readonly filesMin: number;
  readonly filesPerBinMax: number;
  /** What is read at most, all bins together. If it is more than nothing, one bin is planned whatever it takes. */
  readonly bytesMax: number;
  /** Whether a snapshot is so old that a partition whose files are no newer gets no more of them. */
  readonly isOld: (snapshotId: bigint) => boolean;
  /** The time slice of a file: others are not merged with it, so that retention can delete whole files. */
  readonly sliceOf: (file: DataFile) => string;
  /** Files that cannot be merged. */
  readonly isLeftAlone: (file: DataFile) => boolean;
}

/** Files that become one. */
export interface CompactionBin {
  readonly specId: number;
  readonly partition: readonly (Value | null)[];
  /** The oldest first. */
  readonly entries: readonly LiveEntry[];
  readonly files: readonly DataFile[];
  readonly bytes: number;
}

/** A file is of a higher size class if it is so many times larger; at most `filesMin`, so that a merged one is. */
const classFactor = 4;
const firstClassBytes = 65_536;
/** A file that is so many times larger than all others of a bin is not written again for their sake. */
const dominance = 4;
const fullShare = 0.75;

interface CompactionPlan {
  readonly bins: readonly CompactionBin[];
  /** Whether nothing was left out because a job may not read more. */
  readonly isComplete: boolean;
}

export function planCompaction(entries: readonly LiveEntry[], rules: CompactionRules): CompactionPlan {
  const candidates = entries.filter(({ file }) => isCandidate(file, rules)).sort(oldestFirst);
  const bins: { readonly entries: readonly LiveEntry[]; readonly at: bigint }[] = [];
  for (const group of Map.groupBy(candidates, ({ file }) => groupOf(file, rules)).values()) {
    const isCold = group.every(({ snapshotId }) => rules.isOld(snapshotId));
    const classes = isCold ? [group] : Map.groupBy(group, ({ file }) => sizeClass(file)).values();
    for (const members of classes)
      for (const bin of binsOf(members, rules)) {
        const chosen = isCold ? withoutDominant(bin) : bin;
        if (isWorthwhile(chosen, isCold ? 2 : rules.filesMin, rules))
          bins.push({ entries: chosen, at: chosen[0]!.sequenceNumber });
      }
  }
  bins.sort((one, other) => Number(one.at - other.at));
  const planned: CompactionBin[] = [];
  let budget = rules.bytesMax;
  for (const { entries: chosen } of bins) {
    const bytes = bytesOf(chosen);
    if (budget <= 0 || (planned.length > 0 && bytes > budget)) break;
    budget -= bytes;
    const { specId, partition } = chosen[0]!.file;
    planned.push({ specId, partition, entries: chosen, files: chosen.map(({ file }) => file), bytes });
  }
  return { bins: planned, isComplete: planned.length === bins.length };
}

function isCandidate(file: DataFile, { targetBytes, isLeftAlone }: CompactionRules): boolean {
  return (
    file.content === 'data' &&
    file.format.toUpperCase() === 'PARQUET' &&
    file.keyMetadata === undefined &&
    Number(file.fileBytes) < fullShare * targetBytes &&
    !isLeftAlone(file)
  );
}

function oldestFirst(one: LiveEntry, other: LiveEntry): number {
  if (one.sequenceNumber !== other.sequenceNumber) return one.sequenceNumber < other.sequenceNumber ? -1 : 1;
  return one.file.path < other.file.path ? -1 : 1;
}

function groupOf(file: DataFile, { sliceOf }: CompactionRules): string {
  return JSON.stringify([partitionKey(file), sliceOf(file)]);
}

function sizeClass({ fileBytes }: DataFile): number {
  return Math.max(0, Math.ceil(Math.log(Number(fileBytes) / firstClassBytes) / Math.log(classFactor)));
}

/** Neighbours together, up to the target. */
function binsOf(
  entries: readonly LiveEntry[],
  { targetBytes, filesPerBinMax }: CompactionRules,
): LiveEntry[][] {
  const bins: LiveEntry[][] = [];
  let bin: LiveEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const fileBytes = Number(entry.file.fileBytes);
    if (bin.length > 0 && (bytes + fileBytes > targetBytes || bin.length >= filesPerBinMax)) {
      bins.push(bin);
      [bin, bytes] = [[], 0];
    }
    bin.push(entry);
    bytes += fileBytes;
  }
  if (bin.length > 0) bins.push(bin);
  return bins;
}

function withoutDominant(bin: readonly LiveEntry[]): readonly LiveEntry[] {
  let rest = bin;
  while (rest.length > 1) {
    const largest = rest.reduce((one, other) => (other.file.fileBytes > one.file.fileBytes ? other : one));
    const others = rest.filter((entry) => entry !== largest);
    if (Number(largest.file.fileBytes) <= dominance * bytesOf(others)) return rest;
    rest = others;
  }
  return rest;
}

function isWorthwhile(
  bin: readonly LiveEntry[],
  filesMin: number,
  { targetBytes }: CompactionRules,
): boolean {
  return bin.length >= filesMin || (bin.length > 1 && bytesOf(bin) >= fullShare * targetBytes);
}

function bytesOf(entries: readonly LiveEntry[]): number {
  return entries.reduce((sum, { file }) => sum + Number(file.fileBytes), 0);
}
