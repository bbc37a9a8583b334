import type { RecordCursor } from '@weir/wire';

/** The record at a cursor as JSON. Keys, values and values of headers are base64. */
export function recordJson(cursor: RecordCursor): string {
  const { key, value } = cursor;
  const headers = cursor.headerCount === 0 ? '' : cursor.headers.map(headerJson).join(',');
  // Base64 needs no escapes, and offsets and times are integers.
  return `{"offset":${cursor.offset},"timestamp":${cursor.timestamp},"key":${base64(key)},"value":${base64(value)},"headers":[${headers}]}`;
}

function headerJson({ key, value }: { readonly key: string; readonly value: Buffer | null }): string {
  return `{"key":${JSON.stringify(key)},"value":${base64(value)}}`;
}

function base64(bytes: Buffer | null): string {
  return bytes === null ? 'null' : `"${bytes.toString('base64')}"`;
}
