import { isUtf8 } from 'node:buffer';
import { Bytes, type Value } from '@weir/bloblang';
import type { RecordCursor } from '@weir/wire';
import { Message } from '../component/message.ts';

export interface RecordMessageOptions {
  readonly topic: string;
  readonly partition: number;
  /** Makes lists of the values of headers, which may occur more than once. */
  readonly hasMultiHeader: boolean;
  /** As `kafka` does: the lag is in the metadata, so is an absent key, and headers do not hide them. */
  readonly hasLag: boolean;
}

const nothing = Buffer.alloc(0);

/** The message of a record. Its content shares memory with the batch. */
export function messageOf(
  cursor: RecordCursor,
  offset: number,
  highWatermark: number,
  { topic, partition, hasMultiHeader, hasLag }: RecordMessageOptions,
): Message {
  const metadata = new Map<string, Value>();
  if (hasLag) addHeaders(metadata, cursor, hasMultiHeader);
  const { key, value, timestampMs } = cursor;
  if (key !== null) metadata.set('kafka_key', textOrBytes(key));
  else if (hasLag) metadata.set('kafka_key', '');
  metadata.set('kafka_topic', topic);
  metadata.set('kafka_partition', partition);
  metadata.set('kafka_offset', offset);
  if (hasLag) metadata.set('kafka_lag', Math.max(0, highWatermark - offset - 1));
  metadata.set('kafka_timestamp_unix', Math.floor(timestampMs / 1000));
  metadata.set('kafka_timestamp_unix_ms', timestampMs);
  metadata.set('kafka_tombstone_message', value === null);
  if (!hasLag) addHeaders(metadata, cursor, hasMultiHeader);
  return new Message({ content: value ?? nothing, metadata });
}

function addHeaders(metadata: Map<string, Value>, cursor: RecordCursor, hasMultiHeader: boolean): void {
  if (cursor.headerCount === 0) return;
  if (!hasMultiHeader) {
    for (const { key, value } of cursor.headers) metadata.set(key, textOrBytes(value ?? nothing));
    return;
  }
  for (const [name, headers] of Map.groupBy(cursor.headers, ({ key }) => key))
    metadata.set(
      name,
      headers.map(({ value }) => textOrBytes(value ?? nothing)),
    );
}

/** Texts are texts; what is none keeps its bytes. */
function textOrBytes(bytes: Buffer): Value {
  return isUtf8(bytes) ? bytes.toString() : new Bytes(bytes);
}
