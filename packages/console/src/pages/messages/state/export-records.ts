import { csvOf } from '../../../format/csv.ts';
import { jsonOf, nodeOf, pathOfField, textAt } from './record-fields.ts';
import type { RecordPart, TopicRecord } from './records.ts';

/** A record in a line of JSON: JSON of keys and values is JSON here, with all digits, and the rest is text. */
export function ndjsonLine(record: TopicRecord): string {
  const { partition, offset, timestamp, timestamp_ms, key, value, headers } = record;
  const entries: [name: string, json: string][] = [
    ['partition', String(partition)],
    ['offset', String(offset)],
    ['timestamp', JSON.stringify(timestamp)],
    ['timestamp_ms', String(timestamp_ms)],
    ['key', partJson(key)],
    ['value', partJson(value)],
    ['headers', JSON.stringify(headers.map((header) => [header.key, header.value?.text ?? null]))],
    ...formatEntry('key_format', key),
    ...formatEntry('value_format', value),
  ];
  const cut = (['key', 'value'] as const).filter((part) => record[part]?.is_cut === true);
  if (cut.length > 0) entries.push(['cut', JSON.stringify(cut)]);
  return `{${entries.map(([name, json]) => `"${name}":${json}`).join(',')}}\n`;
}

function partJson(part: RecordPart | null): string {
  if (part === null) return 'null';
  const node = nodeOf(part);
  return node === undefined ? JSON.stringify(part.text) : jsonOf(node);
}

/** How bytes that are not text or JSON have to be read. */
function formatEntry(name: string, part: RecordPart | null): [string, string][] {
  return part?.format === 'base64' || part?.format === 'hex' ? [[name, `"${part.format}"`]] : [];
}

const usual = ['partition', 'offset', 'timestamp', 'key', 'value', 'headers'];

/** Records as lines of CSV, with a column for each field that is given. */
export function csvOfRecords(records: readonly TopicRecord[], fields: readonly string[]): string {
  const paths = fields.map(pathOfField);
  return csvOf(
    [...usual, ...fields],
    records.map((record) => [
      record.partition,
      record.offset,
      record.timestamp ?? record.timestamp_ms,
      record.key?.text,
      record.value?.text,
      record.headers.length === 0
        ? undefined
        : record.headers.map(({ key, value }) => `${key}=${value?.text ?? ''}`).join('; '),
      ...paths.map((path) => (path === undefined ? undefined : textAt(record, path))),
    ]),
  );
}
