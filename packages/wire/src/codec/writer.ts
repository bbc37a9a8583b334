import { coreLimits } from '@weir/core';
import type { Slices, UnknownTaggedField } from '../schema/field.ts';
import { EncodeError } from './encode-error.ts';

const firstChunkBytes = 512;
const chunkBytesMax = 64 * 1024;
const stringBytesMax = 0x7fff;

/**
 * Collects a message as a list of slices for `writev`: small fields are written into chunks, large byte fields are
 * added to the list by reference.
 *
 * A full chunk is never copied into a larger one; the next chunk simply follows it in the list.
 */
export class Writer {
  /** The chunk that is being filled. Generated encoders write into it at the positions that `reserve` returns. */
  buffer: Buffer;
  view: DataView;
  /** Array elements that a paced encoder has written. */
  elements = 0;
  #position = 0;
  /** The start of the part of the chunk that is not in the list yet. */
  #start = 0;
  #slices: Buffer[] = [];
  #slicesBytes = 0;

  constructor(chunkBytes = firstChunkBytes) {
    this.buffer = Buffer.allocUnsafe(chunkBytes);
    this.view = viewOf(this.buffer);
  }

  /** Reserves a number of bytes and returns their position in `buffer`. */
  reserve(byteCount: number): number {
    if (byteCount > this.buffer.length - this.#position) this.#nextChunk(byteCount);
    const at = this.#position;
    this.#position = at + byteCount;
    return at;
  }

  get byteLength(): number {
    return this.#slicesBytes + this.#position - this.#start;
  }

  /** Returns the message as slices. The writer must not be used after that. */
  finish(): Buffer[] {
    this.#closePart();
    return this.#slices;
  }

  uint8(value: number): void {
    // `reserve` may replace the chunk, so the position is taken first.
    const at = this.reserve(1);
    this.buffer[at] = value;
  }

  int16(value: number): void {
    const at = this.reserve(2);
    this.view.setInt16(at, value);
  }

  int32(value: number): void {
    const at = this.reserve(4);
    this.view.setInt32(at, value);
  }

  unsignedVarint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.uint8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.uint8(rest);
  }

  string(value: string, path: string): void {
    const byteLength = this.#stringLength(value, path);
    if (byteLength > stringBytesMax) {
      throw new EncodeError(path, `${byteLength} bytes exceed the ${stringBytesMax} that a string can hold`);
    }
    this.int16(byteLength);
    this.#text(value, byteLength);
  }

  compactString(value: string, path: string): void {
    const byteLength = this.#stringLength(value, path);
    this.unsignedVarint(byteLength + 1);
    this.#text(value, byteLength);
  }

  bytes(value: Slices, path: string): void {
    this.int32(slicesLength(value, path));
    this.slices(value);
  }

  compactBytes(value: Slices, path: string): void {
    this.unsignedVarint(slicesLength(value, path) + 1);
    this.slices(value);
  }

  /** Writes 16 bytes at a reserved position. */
  uuidAt(at: number, value: string, path: string): void {
    if (
      typeof value !== 'string' ||
      value.length !== 22 ||
      this.buffer.write(value, at, 'base64url') !== 16
    ) {
      throw new EncodeError(path, `not a uuid of 22 base64url characters: ${value}`);
    }
  }

  taggedField(tag: number, content: Writer): void {
    this.unsignedVarint(tag);
    this.unsignedVarint(content.byteLength);
    this.slices(content.finish());
  }

  /** Writes unknown tagged fields from index `from` on whose tags are below `belowTag`; returns the next index. */
  unknownTaggedFields(fields: readonly UnknownTaggedField[], from: number, belowTag: number): number {
    let index = from;
    for (; index < fields.length && fields[index]!.tag < belowTag; index++) {
      const { tag, data } = fields[index]!;
      this.unsignedVarint(tag);
      this.unsignedVarint(data.length);
      this.slices(data);
    }
    return index;
  }

  slices(value: Slices): void {
    if (value instanceof Uint8Array) this.#slice(value);
    else for (const slice of value) this.#slice(slice);
  }

  #slice(slice: Uint8Array): void {
    if (slice.length < coreLimits.copiedSliceBytesMax) {
      const at = this.reserve(slice.length);
      this.buffer.set(slice, at);
      return;
    }
    this.#closePart();
    this.#push(asBuffer(slice));
  }

  #stringLength(value: string, path: string): number {
    if (typeof value !== 'string') throw new EncodeError(path, `${value} where a string is needed`);
    return Buffer.byteLength(value);
  }

  #text(value: string, byteLength: number): void {
    const at = this.reserve(byteLength);
    this.buffer.write(value, at, byteLength, 'utf8');
  }

  #closePart(): void {
    if (this.#position > this.#start) this.#push(this.buffer.subarray(this.#start, this.#position));
    this.#start = this.#position;
  }

  #push(slice: Buffer): void {
    this.#slices.push(slice);
    this.#slicesBytes += slice.length;
  }

  #nextChunk(byteCount: number): void {
    this.#closePart();
    const doubled = Math.min(this.buffer.length * 2, chunkBytesMax);
    this.buffer = Buffer.allocUnsafe(Math.max(doubled, byteCount));
    this.view = viewOf(this.buffer);
    this.#position = 0;
    this.#start = 0;
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}

function asBuffer(slice: Uint8Array): Buffer {
  return Buffer.isBuffer(slice) ? slice : Buffer.from(slice.buffer, slice.byteOffset, slice.length);
}

function slicesLength(value: Slices, path: string): number {
  if (value instanceof Uint8Array) return value.length;
  if (!Array.isArray(value)) throw new EncodeError(path, `${value} where bytes are needed`);
  let length = 0;
  for (const slice of value as readonly Uint8Array[]) length += slice.length;
  return length;
}
