/** Keys and values of records are bytes. Most of them are text, and all of them must be printable. */

import { isUtf8 } from 'node:buffer';
import type { BatchRecord } from '@weir/wire';
import { escapeControls } from '../problem.ts';

/** For users: the text on one line, or the bytes in hex. */
export function shownBytes(bytes: Buffer | null): string {
  if (bytes === null) return '(null)';
  return isUtf8(bytes) ? escapeControls(bytes.toString()) : `0x${bytes.toString('hex')}`;
}

/** For users, where a text must be distinguished from the text around it: in quotes. */
export function quotedBytes(bytes: Buffer | null): string {
  if (bytes === null || !isUtf8(bytes)) return shownBytes(bytes);
  return escapeControls(JSON.stringify(bytes.toString()));
}

type JsonBytes = string | null | { readonly base64: string };

/** For JSON: the text, or the bytes in a form that cannot be mistaken for text. */
export function jsonBytes(bytes: Buffer | null): JsonBytes {
  if (bytes === null) return null;
  return isUtf8(bytes) ? bytes.toString() : { base64: bytes.toString('base64') };
}

/** ISO 8601 if the time can be written so; clients send arbitrary numbers. */
export function shownTimestamp(timestamp: bigint): string {
  const date = new Date(Number(timestamp));
  return timestamp < 0n || Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString();
}

export function jsonRecord(topic: string, partition: number, record: BatchRecord) {
  const { offset, timestamp, key, value, headers } = record;
  return {
    topic,
    partition,
    offset,
    timestamp,
    key: jsonBytes(key),
    value: jsonBytes(value),
    headers: headers.map((header) => ({ key: header.key, value: jsonBytes(header.value) })),
  };
}
