import { Failure, fileIdLevel, fileIdTimeMs } from '@weir/core';
import type { DecodedRecord } from '@weir/registry/decoding';
import {
  isFileId,
  LogFileError,
  logFileKey,
  ObjectNotFound,
  type ObjectStore,
  readLogFile,
  readSectionBatches,
} from '@weir/storage';
import { type BatchRecord, batchRecords, DecodeError, RecordBatchView } from '@weir/wire';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { printResult, ResultRows } from '../results/results.ts';
import { table } from '../results/table.ts';
import { clusterIn, withBucket } from './bucket.ts';
import { type DecodeRecord, decodedJson, shownPayload, withDecoding } from './record-decoding.ts';
import { jsonRecord, shownTimestamp } from './record-text.ts';

type LogFile = Awaited<ReturnType<typeof readLogFile>>;
type Values = CommandValues<'cli file-reader'>;

/** Prints what a file says about itself: its index, and its records if they are asked for. */
export const fileReaderTool: Handler<'cli file-reader'> = (values, deps) =>
  withBucket(values, deps, async (store) => {
    const { stop } = deps;
    const key = await keyOf(store, values);
    try {
      const file = await readLogFile(store, key);
      printResult(values, deps, { json: described(key, file), text: () => shown(key, file) });
      if (values['show-records'])
        await withDecoding(values, deps.clock, (decode) =>
          printRecords({ store, key, file, values, deps, decode }),
        );
    } catch (error) {
      if (error instanceof ObjectNotFound) throw new Failure(`${key}: not found`);
      if (error instanceof LogFileError || error instanceof DecodeError)
        throw new Failure(`${key}: ${error.message}`);
      throw error;
    }
    return stop.aborted ? stoppedStatus : 0;
  });

async function keyOf(store: ObjectStore, values: Values): Promise<string> {
  const given = values['log-file']!;
  if (!given.includes('/') && !isFileId(given))
    throw new Failure('-log-file: use an id of 32 hex digits, or a key that starts with service/');
  return isFileId(given) ? logFileKey(await clusterIn(store, values.defaultVirtualClusterID), given) : given;
}

function described(key: string, { clusterId, fileId, fileBytes, sections }: LogFile) {
  return {
    key,
    cluster: clusterId,
    file: fileId,
    level: fileIdLevel(fileId),
    time: fileIdTimeMs(fileId),
    bytes: fileBytes,
    sections,
  };
}

function shown(key: string, file: LogFile): string {
  const { clusterId, fileId, fileBytes, sections } = file;
  const time = shownTimestamp(BigInt(fileIdTimeMs(fileId)));
  const rows = sections.map(({ topicId, partition, byteStart, byteLength, batchCount, recordCount }) =>
    [topicId, partition, byteStart, byteLength, batchCount, recordCount].map(String),
  );
  return [
    `${key}\n`,
    `  cluster  ${clusterId}\n`,
    `  level    ${fileIdLevel(fileId)}\n`,
    `  opened   ${time}\n`,
    `  bytes    ${fileBytes}\n\n`,
    table(['TOPIC ID', 'PARTITION', 'START', 'BYTES', 'BATCHES', 'RECORDS'], rows),
  ].join('');
}

interface RecordsToPrint {
  readonly store: ObjectStore;
  readonly key: string;
  readonly file: LogFile;
  readonly values: Values;
  readonly deps: Deps;
  readonly decode: DecodeRecord | undefined;
}

/** Offsets are those of the batch: a file of level 0 does not know its offsets in the log, and begins with 0. */
async function printRecords({ store, key, file, values, deps, decode }: RecordsToPrint): Promise<void> {
  const rows = new ResultRows<RecordRow>(values, deps, {
    header: ['TOPIC ID', 'PARTITION', 'OFFSET', 'TIMESTAMP', 'KEY', 'VALUE'],
    cells,
    json: ({ topicId, partition, record, decoded }) =>
      decodedJson(jsonRecord(topicId, partition, record), decoded),
  });
  if (values.output === 'table') deps.output.out('\n');
  for (const section of file.sections) {
    const { topicId, partition } = section;
    for await (const { bytes } of readSectionBatches(store, key, section)) {
      if (deps.stop.aborted) return;
      const batch = new RecordBatchView(bytes);
      if (batch.isControl) continue;
      const records: RecordRow[] = [];
      for (const record of batchRecords(batch))
        records.push({ topicId, partition, record, decoded: await decode?.(record) });
      await rows.print(records);
    }
  }
}

interface RecordRow {
  readonly topicId: string;
  readonly partition: number;
  readonly record: BatchRecord;
  readonly decoded: DecodedRecord | undefined;
}

function cells({ topicId, partition, record, decoded }: RecordRow): readonly string[] {
  const { offset, timestamp, key, value } = record;
  return [
    topicId,
    String(partition),
    String(offset),
    shownTimestamp(timestamp),
    shownPayload(key, decoded?.key),
    shownPayload(value, decoded?.value),
  ];
}
