import type { CallOptions, ObjectStore } from '../store/object-store.ts';
import { logFileKey } from './file-id.ts';
import { batchAt } from './layout.ts';
import { LogFileError } from './log-file-error.ts';
import { readLogFile } from './read-log-file.ts';
import { readSectionBatches } from './section-batches.ts';

interface ScrubbedFile {
  readonly fileBytes: number;
  readonly batchCount: number;
  readonly recordCount: number;
}

interface ScrubOptions extends CallOptions {
  /** Called with every batch that matches its checksum, in the order of the file. */
  readonly onBatch?: (byteStart: number, bytes: Buffer) => void;
}

/**
 * Verifies a whole log file: header, footer, every batch by its checksum, the counts of every section, and that the
 * file is the one that its key names. Throws a `LogFileError` about the first fault.
 */
export async function scrubLogFile(
  store: ObjectStore,
  key: string,
  options?: ScrubOptions,
): Promise<ScrubbedFile> {
  const { clusterId, fileId, fileBytes, sections } = await readLogFile(store, key, options);
  const expected = logFileKey(clusterId, fileId);
  if (expected !== key) throw new LogFileError('header', `it is the file ${expected}`);
  let batchCount = 0;
  let recordCount = 0;
  for (const section of sections) {
    let batches = 0;
    let records = 0;
    for await (const { byteStart, bytes } of readSectionBatches(store, key, section, options)) {
      options?.onBatch?.(byteStart, bytes);
      batches++;
      records += bytes.readInt32BE(batchAt.recordCount);
    }
    if (batches !== section.batchCount || records !== section.recordCount) {
      throw new LogFileError(
        'section',
        `${section.topicId}-${section.partition} has ${batches} batches with ${records} records, and the footer says ` +
          `${section.batchCount} with ${section.recordCount}`,
      );
    }
    batchCount += batches;
    recordCount += records;
  }
  return { fileBytes, batchCount, recordCount };
}
