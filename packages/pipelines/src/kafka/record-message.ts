import type { RecordCursor } from '@weir/wire';
import { Message } from '../component/message.ts';
import { type ReadHeaders, RecordMetadata, type RecordMetadataOptions } from './record-metadata.ts';

const nothing = Buffer.alloc(0);
const noHeaders: ReadHeaders = [];

/** The message of a record, with its place in the delivery. Its content shares memory with the batch. */
export function messageOf(
  cursor: RecordCursor,
  offset: number,
  highWatermark: number,
  index: number,
  options: RecordMetadataOptions,
): Message {
  const { key, value, timestampMs } = cursor;
  const facts = {
    offset,
    lag: Math.max(0, highWatermark - offset - 1),
    timestampMs,
    key,
    isTombstone: value === null,
    headers: cursor.headerCount === 0 ? noHeaders : cursor.headers,
  };
  const origin = { index, replay: { attempts: 0 } };
  return new Message({ content: value ?? nothing, metadata: new RecordMetadata(facts, options), origin });
}
