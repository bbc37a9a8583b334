/** The kind of job that looks for files in the bucket that were never committed. */
export const deadFileScanKind = 'dead_file_scan';

export interface ScanTask {
  /** The cluster knows all files whose ids are of this time or later; earlier ones may be those of a lost database. */
  readonly knownFromMs: number;
  /** Objects that were modified in this time may belong to an upload whose commit is under way. */
  readonly ageMsMin: number;
  /** Above this share of the files, more than a few orphans are a sign of the wrong database. */
  readonly orphanPercentMax: number;
}

export function writeScanTask(task: ScanTask): Uint8Array {
  return Buffer.from(JSON.stringify(task));
}

export function readScanTask(bytes: Uint8Array): ScanTask {
  const task = JSON.parse(Buffer.from(bytes).toString()) as Partial<ScanTask>;
  // A leader of an earlier release sends no share.
  const { knownFromMs, ageMsMin, orphanPercentMax = 50 } = task;
  if (!isTime(knownFromMs) || !isTime(ageMsMin) || !isPercent(orphanPercentMax))
    throw new RangeError('not a scan task');
  return { knownFromMs, ageMsMin, orphanPercentMax };
}

function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
