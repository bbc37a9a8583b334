import { crc32 } from 'node:zlib';
import { type CompressionCodec, codecIds, compress } from '@weir/wire';

/** A message of magic 0 or 1, as brokers before 2017 stored them. Written from the description of the format. */
export interface MessageToWrite {
  readonly offset: number;
  readonly timestamp?: number;
  readonly key?: string | null;
  readonly value?: string | Buffer | null;
}

interface MessageFormat {
  readonly magic: 0 | 1;
  readonly codec?: CompressionCodec;
  readonly isAppendTime?: boolean;
}

export function oldMessage(message: MessageToWrite, format: MessageFormat): Buffer {
  const { offset, timestamp = 0, key = null, value = null } = message;
  const { magic, codec = 'none', isAppendTime = false } = format;
  const head = Buffer.alloc(magic === 1 ? 10 : 2);
  head.writeInt8(magic, 0);
  head.writeInt8(codecIds[codec] | (isAppendTime ? 8 : 0), 1);
  if (magic === 1) head.writeBigInt64BE(BigInt(timestamp), 2);
  const covered = Buffer.concat([head, nullable(key), nullable(value)]);
  const front = Buffer.alloc(16);
  front.writeBigInt64BE(BigInt(offset), 0);
  front.writeInt32BE(covered.length + 4, 8);
  front.writeUInt32BE(crc32(covered), 12);
  return Buffer.concat([front, covered]);
}

/** A wrapper: with magic 1 the offsets inside begin at 0. */
export function oldWrapper(
  messages: readonly MessageToWrite[],
  format: MessageFormat & { readonly codec: CompressionCodec; readonly timestamp?: number },
): Buffer {
  const { magic, codec, timestamp = messages.at(-1)!.timestamp ?? 0 } = format;
  const base = magic === 1 ? messages[0]!.offset : 0;
  const inside = messages.map((message) =>
    oldMessage({ ...message, offset: message.offset - base }, { magic }),
  );
  const value = compress(codec, Buffer.concat(inside));
  return oldMessage({ offset: messages.at(-1)!.offset, timestamp, value }, format);
}

function nullable(content: string | Buffer | null): Buffer {
  const length = Buffer.alloc(4);
  const bytes = content === null ? Buffer.alloc(0) : Buffer.from(content as string);
  length.writeInt32BE(content === null ? -1 : bytes.length);
  return Buffer.concat([length, bytes]);
}
