import type { BatchRecord, RecordCursor } from '@weir/wire';

/** The record at a cursor as JSON; keys, values and values of headers are base64. */
export function recordJson(cursor: RecordCursor): string {
  const headers = cursor.headerCount === 0 ? '' : headersJson(cursor.headers);
  // Base64 needs no escapes, and offsets and times are integers.
  return `{"offset":${cursor.offset},"timestamp":${cursor.timestamp},"key":${base64Json(cursor.key)},"value":${base64Json(cursor.value)},"headers":[${headers}]}`;
}

export function headersJson(headers: BatchRecord['headers']): string {
  return headers
    .map(({ key, value }) => `{"key":${JSON.stringify(key)},"value":${base64Json(value)}}`)
    .join(',');
}

export function base64Json(bytes: Buffer | null): string {
  return bytes === null ? 'null' : `"${bytes.toString('base64')}"`;
}
