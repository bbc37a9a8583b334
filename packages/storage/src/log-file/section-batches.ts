import { crc32c } from '@node-rs/crc32';
import { MiB } from '@weir/core';
import type { CallOptions, ObjectStore } from '../store/object-store.ts';
import { batchAt, batchHeaderBytes, batchLengthOverhead } from './layout.ts';
import { LogFileError } from './log-file-error.ts';

/** One batch of a section, where it lies in the file. */
interface SectionBatch {
  readonly byteStart: number;
  /** A view of the bytes that were read. */
  readonly bytes: Buffer;
}

interface SectionRange {
  readonly byteStart: number;
  readonly byteLength: number;
}

/** A store, or a file that is in memory. */
export type RangeSource = Pick<ObjectStore, 'getRange'>;

/** The size of one read. A larger batch is read whole. */
const readBytes = 4 * MiB;

/**
 * Reads the batches of a section one after the other and checks their lengths and checksums. Memory is bounded by one
 * read and the largest batch, whatever the size of the section.
 */
export async function* readSectionBatches(
  store: RangeSource,
  key: string,
  { byteStart, byteLength }: SectionRange,
  options?: CallOptions,
): AsyncGenerator<SectionBatch> {
  const end = byteStart + byteLength;
  let at = byteStart;
  while (at < end) {
    let bytes = await store.getRange(key, at, Math.min(end, at + readBytes), options);
    let taken = 0;
    for (;;) {
      const left = bytes.length - taken;
      const length = left < batchHeaderBytes ? undefined : lengthOf(bytes, taken);
      if (length === undefined || length > left) {
        if (at + bytes.length >= end) {
          if (left > 0) throw damage(at + taken, 'the batch is truncated');
        } else if (taken === 0) {
          // Not even the first batch is whole: it is larger than a read.
          bytes = await store.getRange(key, at, Math.min(end, at + (length ?? readBytes * 2)), options);
          if (bytes.length < (length ?? 0)) throw damage(at, 'the file is truncated');
          continue;
        }
        break;
      }
      const batch = bytes.subarray(taken, taken + length);
      if (batch.readUInt32BE(batchAt.crc) !== crc32c(batch.subarray(batchAt.attributes)))
        throw damage(at + taken, 'the batch does not match its checksum');
      yield { byteStart: at + taken, bytes: batch };
      taken += length;
    }
    if (taken === 0) throw damage(at, 'the file is truncated');
    at += taken;
  }
}

function lengthOf(bytes: Buffer, at: number): number {
  const length = bytes.readInt32BE(at + batchAt.batchLength) + batchLengthOverhead;
  if (length < batchHeaderBytes) throw damage(at, `a batch cannot have ${length} bytes`);
  return length;
}

function damage(at: number, problem: string): LogFileError {
  return new LogFileError('section', `byte ${at}: ${problem}`);
}
