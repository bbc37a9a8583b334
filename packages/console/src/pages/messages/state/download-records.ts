import { call } from '../../../api/client.ts';
import { download } from '../../../format/download.ts';
import { counted, formatBytes, formatCount } from '../../../format/format.ts';
import type { TaskToStart } from '../../../tasks/task-store.ts';
import { decodedRecord } from './decoders.ts';
import { csvOfRecords, ndjsonLine } from './export-records.ts';
import type { credentialOf } from './kafka-credential.ts';
import { type MessagesSearch, readInputOf, startOf, wantedOf } from './messages-search.ts';
import type { TopicRecord } from './records.ts';

type FileFormat = 'ndjson' | 'csv';

interface Download {
  readonly topic: string;
  readonly format: FileFormat;
  /** The fields that have columns. */
  readonly fields: readonly string[];
}

/** Saves the records of the page. */
export function downloadShown(records: readonly TopicRecord[], { topic, format, fields }: Download): void {
  download(
    fileName(topic, format),
    format === 'csv' ? csvOfRecords(records, fields) : records.map(ndjsonLine).join(''),
  );
}

const fileName = (topic: string, format: FileFormat) => `${topic}.${format}`;

/** What a file holds at most, because the page has all of it in memory. */
export const downloadedMax = 10_000;
const downloadedCharsMax = 64 * 1024 * 1024;
const perCallMax = 500;
/** Each scans up to a bound of its own, so that a rare match does not read a large topic to its end. */
const callsMax = 200;

/** Reads all records that a search finds from its start on, page by page, up to bounds, and saves them. */
export function downloadOfSearch(
  clusterId: string,
  search: MessagesSearch,
  { topic, format, fields, login }: Download & { readonly login: () => ReturnType<typeof credentialOf> },
): TaskToStart {
  const file = fileName(topic, format);
  return {
    title: `Download records of ${topic}`,
    run: async ({ signal, report }) => {
      const found: TopicRecord[] = [];
      let chars = 0;
      let scanned = 0;
      let cursor: string | undefined;
      let bound: string | undefined;
      const isOlder = startOf(search) === 'newest';
      for (let calls = 1; bound === undefined; calls++) {
        const answer = await call(
          'read_records',
          {
            virtual_cluster_id: clusterId,
            topic_name: topic,
            ...(cursor === undefined
              ? readInputOf({ ...search, cursor: undefined })
              : { cursor, ...wantedOf(search) }),
            limit: Math.min(perCallMax, downloadedMax - found.length),
            ...login(),
          },
          signal,
        );
        for (const record of answer.records) {
          chars += (record.key?.text.length ?? 0) + (record.value?.text.length ?? 0);
          found.push(decodedRecord(record, search));
        }
        scanned += answer.scanned_records;
        report({ done: found.length });
        const isOver = isOlder
          ? answer.older_cursor === null
          : answer.records.length === 0 && answer.cut === null;
        cursor = (isOlder ? answer.older_cursor : answer.newer_cursor) ?? undefined;
        if (isOver || cursor === undefined) break;
        if (found.length >= downloadedMax) bound = `a file has at most ${formatCount(downloadedMax)} records`;
        else if (chars >= downloadedCharsMax)
          bound = `a file has at most ${formatBytes(downloadedCharsMax)} of keys and values`;
        else if (calls >= callsMax) bound = `stopped after ${formatCount(scanned)} scanned records`;
      }
      downloadShown(found, { topic, format, fields });
      const text = `Saved ${counted(found.length, 'record')} as ${file}`;
      return bound === undefined
        ? { kind: 'ok', text }
        : { kind: 'warn', text: `${text}; there may be more: ${bound}` };
    },
  };
}
