/** Single values as bytes (appendix D of the spec): bounds of columns and partitions in manifests. */
import { utf8Text } from '@weir/core';
import type { PrimitiveType } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import type { Value } from './value.ts';

export function valueBytes(type: PrimitiveType, value: Value): Buffer {
  switch (type.kind) {
    case 'boolean':
      return Buffer.from([value ? 1 : 0]);
    case 'int':
    case 'date': {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32LE(value as number);
      return bytes;
    }
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(value as bigint);
      return bytes;
    }
    case 'float': {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(value as number);
      return bytes;
    }
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value as number);
      return bytes;
    }
    case 'decimal':
      return unscaledBytes(value as bigint);
    case 'string':
      return Buffer.from(value as string);
    case 'uuid':
      return Buffer.from((value as string).replaceAll('-', ''), 'hex');
    case 'fixed':
    case 'binary':
      return Buffer.from(value as Uint8Array);
  }
}

/**
 * Reads a value. Bounds are not rewritten when a column is widened, so that a long may have the 4 bytes of an int, and
 * a double those of a float.
 */
export function readBytes(type: PrimitiveType, bytes: Uint8Array): Value {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length } = buffer;
  const wrong = () => new InvalidTable(`a value of the type ${type.kind} has ${length} bytes`);
  switch (type.kind) {
    case 'boolean':
      if (length !== 1) throw wrong();
      return buffer[0] !== 0;
    case 'int':
    case 'date':
      if (length !== 4) throw wrong();
      return buffer.readInt32LE();
    case 'long':
      if (length === 4) return BigInt(buffer.readInt32LE());
      if (length !== 8) throw wrong();
      return buffer.readBigInt64LE();
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      if (length !== 8) throw wrong();
      return buffer.readBigInt64LE();
    case 'float':
      if (length !== 4) throw wrong();
      return buffer.readFloatLE();
    case 'double':
      if (length === 4) return buffer.readFloatLE();
      if (length !== 8) throw wrong();
      return buffer.readDoubleLE();
    case 'decimal':
      if (length < 1 || length > 17) throw wrong();
      return unscaledOf(buffer);
    case 'string': {
      const text = utf8Text(buffer);
      if (text === undefined) throw new InvalidTable('a value of the type string is not UTF-8');
      return text;
    }
    case 'uuid':
      if (length !== 16) throw wrong();
      return uuidText(buffer);
    case 'fixed':
      if (length !== type.bytes) throw wrong();
      return buffer;
    case 'binary':
      return buffer;
  }
}

/** Two's complement, highest byte first, with as few bytes as hold the value. */
export function unscaledBytes(unscaled: bigint): Buffer {
  let length = 1;
  while (BigInt.asIntN(8 * length, unscaled) !== unscaled) length++;
  return unscaledFixed(unscaled, length);
}

/** Two's complement with a given number of bytes. */
export function unscaledFixed(unscaled: bigint, length: number): Buffer {
  const digits = BigInt.asUintN(8 * length, unscaled).toString(16);
  return Buffer.from(digits.padStart(2 * length, '0'), 'hex');
}

export function unscaledOf(bytes: Buffer): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`));
}

export function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Bytes that hold every decimal of so many digits: the length of the `fixed` that Avro and Parquet store it as. */
export function decimalBytes(precision: number): number {
  let length = 1;
  while (2n ** BigInt(8 * length - 1) < 10n ** BigInt(precision)) length++;
  return length;
}
