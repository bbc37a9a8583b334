import { fileIdLevel, fileIdTimeMs } from '@weir/core';
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
import { Failure } from '../failure.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import type { Output } from '../output.ts';
import { clusterIn, withBucket } from './bucket.ts';
import { jsonLine, jsonRecord, shownBytes, shownTimestamp } from './record-text.ts';
import { Table, table } from './table.ts';

type LogFile = Awaited<ReturnType<typeof readLogFile>>;
type Values = CommandValues<'cli file-reader'>;

/** Prints what a file says about itself: its index, and its records if they are asked for. */
export const fileReaderTool: Handler<'cli file-reader'> = (values, deps) =>
  withBucket(values, deps, async (store) => {
    const { output, stop } = deps;
    const key = await keyOf(store, values);
    try {
      const file = await readLogFile(store, key);
      if (values.output === 'json') output.out(jsonLine(described(key, file)));
      else output.out(shown(key, file));
      if (values['show-records']) await printRecords({ store, key, file, values, output, stop });
    } catch (error) {
      if (error instanceof ObjectNotFound) throw new Failure(`${key}: there is no such file`);
      if (error instanceof LogFileError || error instanceof DecodeError)
        throw new Failure(`${key}: ${error.message}`);
      throw error;
    }
    return stop.aborted ? stoppedStatus : 0;
  });

async function keyOf(store: ObjectStore, values: Values): Promise<string> {
  const given = values['log-file']!;
  if (!given.includes('/') && !isFileId(given))
    throw new Failure('-log-file: an id of 32 hex digits is needed, or a key that begins with service/');
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
  readonly output: Output;
  readonly stop: AbortSignal;
}

/** Offsets are those of the batch: a file of level 0 does not know its offsets in the log, and begins with 0. */
async function printRecords({ store, key, file, values, output, stop }: RecordsToPrint): Promise<void> {
  const rows = new Table(['TOPIC ID', 'PARTITION', 'OFFSET', 'TIMESTAMP', 'KEY', 'VALUE']);
  if (values.output === 'table') output.out('\n');
  for (const section of file.sections) {
    const { topicId, partition } = section;
    for await (const { bytes } of readSectionBatches(store, key, section)) {
      if (stop.aborted) return;
      const batch = new RecordBatchView(bytes);
      if (batch.isControl) continue;
      const records = [...batchRecords(batch)];
      if (values.output === 'json') {
        for (const record of records) output.out(jsonLine(jsonRecord(topicId, partition, record)));
      } else {
        output.out(rows.add(records.map((record) => cells(topicId, partition, record))));
      }
      await output.drained();
    }
  }
}

function cells(topicId: string, partition: number, { offset, timestamp, key, value }: BatchRecord): string[] {
  return [
    topicId,
    String(partition),
    String(offset),
    shownTimestamp(timestamp),
    shownBytes(key),
    shownBytes(value),
  ];
}
