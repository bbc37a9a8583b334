import { DecodeError } from './decode-error.ts';

/**
 * Variable-length integers: seven bits per byte, lowest first; the top bit means that more follow. Signed ones are
 * zigzag encoded (0, -1, 1, -2, …) so that small negative numbers stay short.
 *
 * Padding inside the longest legal form (`80 00` for 0) is accepted, because the reference implementation accepts it.
 * More than 5 bytes for 32 bits or 10 for 64, and bits beyond the width, are rejected: dropping them would change the
 * value.
 *
 * Every function with `write` in its name returns the position after what it wrote and relies on the caller for space.
 */

/** A position in bytes that the read functions move forward. `subject` names the bytes in errors. */
export interface ByteCursor {
  readonly subject: string;
  readonly bytes: Uint8Array;
  at: number;
  /** Bytes at or after this position do not belong to what is being read. */
  readonly end: number;
}

// A 64-bit value is handled as its low 28 bits (four bytes on the wire) and its high 36: both are exact in a double, so
// BigInt, which allocates, is needed only for values that a double cannot represent.
const lowBits = 28;
const lowRange = 2 ** 28;
const highRange = 2 ** 36;
/** Below this high part the whole value is a safe integer even after zigzag. */
const safeHighRange = 2 ** 24;
/** Numbers below this magnitude stay safe integers when doubled by zigzag. */
const safeSigned = 2 ** 51;

function truncated(cursor: ByteCursor, field: string): DecodeError {
  return new DecodeError(cursor.subject, field, cursor.at, 'varint ends behind the last byte');
}

function overlong(cursor: ByteCursor, field: string, bits: 32 | 64): DecodeError {
  return new DecodeError(cursor.subject, field, cursor.at, `varint is longer than ${bits} bits`);
}

/** Reads 0 to 2^32 - 1. */
export function readUnsignedVarint(cursor: ByteCursor, field: string): number {
  const { bytes, end } = cursor;
  let at = cursor.at;
  if (at >= end) throw truncated(cursor, field);
  let byte = bytes[at++]!;
  if (byte < 0x80) {
    cursor.at = at;
    return byte;
  }
  let value = byte & 0x7f;
  for (let shift = 7; shift < lowBits; shift += 7) {
    if (at >= end) throw truncated(cursor, field);
    byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      cursor.at = at;
      return value;
    }
  }
  if (at >= end) throw truncated(cursor, field);
  byte = bytes[at++]!;
  if (byte > 0x0f) throw overlong(cursor, field, 32);
  cursor.at = at;
  return (value | (byte << lowBits)) >>> 0;
}

/** Reads a zigzag-encoded 32-bit integer. */
export function readVarint32(cursor: ByteCursor, field: string): number {
  const raw = readUnsignedVarint(cursor, field);
  return (raw >>> 1) ^ -(raw & 1);
}

/**
 * Reads a zigzag-encoded 64-bit integer as a number if that is exact and as a bigint otherwise. For hot loops that may
 * never use the value; `BigInt(result)` is right for both.
 */
export function readVarint64Compact(cursor: ByteCursor, field: string): number | bigint {
  const { bytes, end } = cursor;
  let at = cursor.at;
  let low = 0;
  for (let shift = 0; shift < lowBits; shift += 7) {
    if (at >= end) throw truncated(cursor, field);
    const byte = bytes[at++]!;
    low |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      cursor.at = at;
      return (low >>> 1) ^ -(low & 1);
    }
  }
  let high = 0;
  let byte = 0x80;
  for (let scale = 1; byte >= 0x80; scale *= 0x80) {
    if (scale > highRange) throw overlong(cursor, field, 64);
    if (at >= end) throw truncated(cursor, field);
    byte = bytes[at++]!;
    high += (byte & 0x7f) * scale;
  }
  if (high >= highRange) throw overlong(cursor, field, 64);
  cursor.at = at;
  if (high < safeHighRange) {
    const raw = high * lowRange + low;
    return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
  }
  const raw = (BigInt(high) << BigInt(lowBits)) | BigInt(low);
  return (raw >> 1n) ^ -(raw & 1n);
}

/** Reads a zigzag-encoded 64-bit integer. */
export function readVarint64(cursor: ByteCursor, field: string): bigint {
  return BigInt(readVarint64Compact(cursor, field));
}

export function unsignedVarintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < lowRange ? 4 : 5;
}

export function writeUnsignedVarint(target: Uint8Array, at: number, value: number): number {
  let rest = value;
  while (rest >= 0x80) {
    target[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

function zigzag32(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

export function varint32Bytes(value: number): number {
  return unsignedVarintBytes(zigzag32(value));
}

export function writeVarint32(target: Uint8Array, at: number, value: number): number {
  return writeUnsignedVarint(target, at, zigzag32(value));
}

/** The zigzag encoding of `value` if both are exact in a double, else -1. */
function safeZigzag(value: bigint): number {
  const number = Number(value);
  if (number >= safeSigned || number <= -safeSigned) return -1;
  return number < 0 ? -2 * number - 1 : 2 * number;
}

function zigzag64(value: bigint): bigint {
  return BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
}

export function varint64Bytes(value: bigint): number {
  const small = safeZigzag(value);
  const high = small >= 0 ? Math.floor(small / lowRange) : Number(zigzag64(value) >> BigInt(lowBits));
  if (high === 0) return unsignedVarintBytes(small);
  let bytes = 5;
  for (let rest = high; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

export function writeVarint64(target: Uint8Array, at: number, value: bigint): number {
  const small = safeZigzag(value);
  let low: number;
  let high: number;
  if (small >= 0) {
    if (small < lowRange) return writeUnsignedVarint(target, at, small);
    low = small % lowRange;
    high = Math.floor(small / lowRange);
  } else {
    const raw = zigzag64(value);
    low = Number(raw % BigInt(lowRange));
    high = Number(raw >> BigInt(lowBits));
  }
  for (let shift = 0; shift < lowBits; shift += 7) target[at++] = ((low >>> shift) & 0x7f) | 0x80;
  while (high >= 0x80) {
    target[at++] = (high % 0x80) | 0x80;
    high = Math.floor(high / 0x80);
  }
  target[at++] = high;
  return at;
}
