/** The kind of job that looks for files in the bucket that were never committed. */
export const deadFileScanKind = 'dead_file_scan';

export interface ScanTask {
  /** The cluster knows all files whose ids are of this time or later; earlier ones may be those of a lost database. */
  readonly knownFromMs: number;
  /** Objects that were modified in this time may belong to an upload whose commit is under way. */
  readonly ageMsMin: number;
}

export function writeScanTask(task: ScanTask): Uint8Array {
  return Buffer.from(JSON.stringify(task));
}

export function readScanTask(bytes: Uint8Array): ScanTask {
  const task = JSON.parse(Buffer.from(bytes).toString()) as Partial<ScanTask>;
  const { knownFromMs, ageMsMin } = task;
  if (!isTime(knownFromMs) || !isTime(ageMsMin)) throw new RangeError('no task of a scan');
  return { knownFromMs, ageMsMin };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
