import { utf8Text } from '@weir/core';
import { InvalidTable } from '../table-errors.ts';
import type { AvroRecord, AvroType, AvroValue } from './avro-type.ts';

/** Reads values in Avro's binary encoding. Every length is checked against what is left. */
export class AvroReader {
  readonly #bytes: Buffer;
  readonly #name: string;
  #at = 0;

  /** `name` is the file, for errors. */
  constructor(bytes: Buffer, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  record(type: AvroType): AvroRecord {
    return this.value(type) as AvroRecord;
  }

  value(type: AvroType): AvroValue {
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.raw(1)[0] === 1;
      case 'int':
        return Number(BigInt.asIntN(32, this.long()));
      case 'long':
        return this.long();
      case 'float':
        return this.raw(4).readFloatLE();
      case 'double':
        return this.raw(8).readDoubleLE();
      case 'bytes':
        return this.bytes();
      case 'string':
        return this.text();
      case 'fixed':
        return this.raw(type.bytes);
      case 'array': {
        const elements: AvroValue[] = [];
        this.#blocks(() => elements.push(this.value(type.element)));
        return elements;
      }
      case 'map': {
        const entries = new Map<string, AvroValue>();
        this.#blocks(() => {
          const key = this.text();
          entries.set(key, this.value(type.value));
        });
        return { entries };
      }
      case 'union': {
        const branch = type.branches[Number(this.long())];
        if (branch === undefined) throw this.#damaged('a union has no such branch');
        return this.value(branch);
      }
      case 'record': {
        const record = new Map<number, AvroValue>();
        for (const field of type.fields) record.set(field.id, this.value(field.type));
        return record;
      }
    }
  }

  /** Numbers of up to four bytes, which is most of them, do without `bigint` until the end. */
  long(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt((low >>> 1) ^ -(low & 1));
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw this.#damaged('a number has more than ten bytes');
  }

  text(): string {
    const text = utf8Text(this.bytes());
    if (text === undefined) throw this.#damaged('a text is not UTF-8');
    return text;
  }

  bytes(): Buffer {
    return this.raw(this.#size());
  }

  /** A view of the bytes. */
  raw(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw this.#damaged('it ends too early');
    const view = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return view;
  }

  /** Elements come in blocks, each with its count; a negative one is followed by the bytes of the block. */
  #blocks(readOne: () => void): void {
    for (;;) {
      let count = this.long();
      if (count === 0n) return;
      if (count < 0n) {
        count = -count;
        this.#size();
      }
      this.checkCount(count);
      for (let left = Number(count); left > 0; left--) readOne();
    }
  }

  /** Elements and records of manifests have at least a byte each; a longer list would take memory for nothing. */
  checkCount(count: bigint): void {
    if (count < 0n || count > BigInt(this.#bytes.length - this.#at))
      throw this.#damaged('a list has too many elements');
  }

  #size(): number {
    const size = this.long();
    if (size < 0n || size > BigInt(this.#bytes.length)) throw this.#damaged('a length is out of range');
    return Number(size);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw this.#damaged('it ends too early');
    return byte;
  }

  #damaged(problem: string): InvalidTable {
    return new InvalidTable(`${this.#name}: damaged Avro file: ${problem}`);
  }
}
