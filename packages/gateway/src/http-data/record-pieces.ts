import { formatBytes } from '@weir/core';
import type { RecordCursor } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import { BatchTooLarge } from './fetched-records.ts';
import type { FormattedRecords } from './formatted-records.ts';
import { recordJson } from './record-json.ts';

/** A multiple of three, so that base64 of parts is base64 of the whole. */
const bytesPerPiece = 48 * 1024;
const { httpRecordBytesMax, httpRecordHeadersMax, httpFormattedRecordBytesMax } = gatewayLimits;

/** Bytes of the key, value and headers of a record. */
function recordBytes(record: RecordCursor): number {
  const { key, value, encodedHeaders } = record;
  return (key?.length ?? 0) + (value?.length ?? 0) + encodedHeaders.length;
}

/** Whether the JSON of a record is one piece. */
export function isSmall(record: RecordCursor): boolean {
  return recordBytes(record) <= bytesPerPiece;
}

/** Throws `BatchTooLarge` for a record that no answer over HTTP has. */
export function refuseLarge(record: RecordCursor): void {
  const tooMuch =
    recordBytes(record) > httpRecordBytesMax
      ? formatBytes(httpRecordBytesMax)
      : record.headerCount > httpRecordHeadersMax
        ? `${httpRecordHeadersMax} headers`
        : undefined;
  if (tooMuch !== undefined)
    throw new BatchTooLarge(
      `The record at offset ${record.offset} has more than ${tooMuch}; read it with a Kafka client.`,
    );
}

/**
 * A large record as JSON, piece by piece, so that it is never in memory as text. Keys, values and values of headers are
 * base64. `about` are further fields, each after a comma.
 */
function* recordPieces(record: RecordCursor, about = ''): Generator<string, void, undefined> {
  yield `{"offset":${record.offset},"timestamp":${record.timestamp},"key":`;
  yield* base64Pieces(record.key);
  yield ',"value":';
  yield* base64Pieces(record.value);
  yield ',"headers":[';
  let separator = '';
  for (const { key, value } of record.headers) {
    yield `${separator}{"key":"`;
    yield* textPieces(key);
    yield '","value":';
    yield* base64Pieces(value as Buffer | null);
    yield '}';
    separator = ',';
  }
  yield `]${about}}`;
}

/** What is between the quotes of a text in JSON. Halves of a character that are apart are escaped. */
function* textPieces(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; from += bytesPerPiece)
    yield JSON.stringify(text.slice(from, from + bytesPerPiece)).slice(1, -1);
}

/** The pieces of any record of an answer. Those that are not large, or are decoded, are one. */
export async function* piecesOf(
  record: RecordCursor,
  formatted: FormattedRecords | undefined,
): AsyncGenerator<string, void, undefined> {
  refuseLarge(record);
  const bytes = recordBytes(record);
  if (formatted !== undefined && bytes <= httpFormattedRecordBytesMax) yield await formatted.json(record);
  else if (isSmall(record)) yield recordJson(record);
  else {
    // Base64 is longer by a third.
    formatted?.count(Math.ceil((bytes * 4) / 3));
    yield* recordPieces(record, formatted?.aboutLarge(record));
  }
}

function* base64Pieces(bytes: Buffer | null): Generator<string, void, undefined> {
  if (bytes === null) {
    yield 'null';
    return;
  }
  yield '"';
  for (let from = 0; from < bytes.length; from += bytesPerPiece)
    yield bytes.toString('base64', from, Math.min(bytes.length, from + bytesPerPiece));
  yield '"';
}
