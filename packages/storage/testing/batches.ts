import fc from 'fast-check';
import type { BatchToStore } from '../src/log-file/build-log-file.ts';
import { batchAt, batchHeaderBytes, batchLengthOverhead } from '../src/log-file/layout.ts';

/** Bytes with the length and the record count of a record batch, and otherwise arbitrary. */
export function batchOf(recordCount: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(batchHeaderBytes, 0xb7), payload]);
  bytes.writeInt32BE(bytes.length - batchLengthOverhead, batchAt.batchLength);
  bytes.writeInt32BE(recordCount, batchAt.recordCount);
  return bytes;
}

export function topicIdOf(number: number): string {
  const id = Buffer.alloc(16);
  id.writeUInt32BE(number, 12);
  return id.toString('base64url');
}

/** Few topics and partitions, so that sections have several batches. */
export const anyBatches: fc.Arbitrary<BatchToStore[]> = fc.array(
  fc.record(
    {
      topicId: fc.oneof(
        fc.nat(3).map(topicIdOf),
        fc.uint8Array({ minLength: 16, maxLength: 16 }).map((id) => Buffer.from(id).toString('base64url')),
      ),
      partition: fc.oneof(fc.nat(3), fc.nat(0x7fff_ffff)),
      bytes: fc
        .tuple(fc.nat(0x7fff_ffff), fc.uint8Array({ maxLength: 40 }))
        .map(([records, payload]) => batchOf(records, payload)),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 30 },
);
