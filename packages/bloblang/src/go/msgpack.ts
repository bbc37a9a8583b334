import { bloblangLimits } from '../limits.ts';
import { asFloat, floatValue, intValue, isFloat, isNumber, uintValue } from '../values/numbers.ts';
import { Bytes, type Float, isObject, Timestamp, type Value, type ValueObject } from '../values/value.ts';
import { utcZone } from './zones.ts';

/** The extension of times. */
const timeExtension = -1;

function tooDeep(): never {
  throw new Error('the value is nested too deeply');
}

/** Reads one value of MessagePack; what follows it is not looked at, as Bento does. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(depth = 0): Value {
    if (depth > bloblangLimits.valueDepthMax) tooDeep();
    const type = this.#take(1)[0]!;
    if (type <= 0x7f) return type;
    if (type >= 0xe0) return type - 0x100;
    if (type <= 0x8f) return this.#map(type & 0x0f, depth);
    if (type <= 0x9f) return this.#array(type & 0x0f, depth);
    if (type <= 0xbf) return this.#take(type & 0x1f).toString();
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return new Bytes(this.#take(this.#length(type - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#length(type - 0xc7));
      case 0xca:
        return finite(shortestSingle(this.#take(4).readFloatBE()));
      case 0xcb:
        return finite(this.#take(8).readDoubleBE());
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#length(type - 0xcc);
      case 0xcf:
        return uintValue(this.#take(8).readBigUInt64BE());
      case 0xd0:
        return this.#take(1).readInt8();
      case 0xd1:
        return this.#take(2).readInt16BE();
      case 0xd2:
        return this.#take(4).readInt32BE();
      case 0xd3:
        return intValue(this.#take(8).readBigInt64BE());
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(1 << (type - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#take(this.#length(type - 0xd9)).toString();
      case 0xdc:
      case 0xdd:
        return this.#array(this.#length(type - 0xdb), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#length(type - 0xdd), depth);
      default:
        throw new Error(`unknown type 0x${type.toString(16)} of MessagePack`);
    }
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new Error('unexpected end of MessagePack');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** An unsigned number of 1, 2 or 4 bytes, by the binary logarithm of their count. */
  #length(log: number): number {
    return this.#take(1 << log).readUIntBE(0, 1 << log);
  }

  #array(count: number, depth: number): Value[] {
    const values: Value[] = [];
    for (let at = 0; at < count; at++) values.push(this.value(depth + 1));
    return values;
  }

  #map(count: number, depth: number): ValueObject {
    const entries: [string, Value][] = [];
    for (let at = 0; at < count; at++) {
      const key = this.value(depth + 1);
      entries.push([keyText(key), this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #extension(length: number): Value {
    const type = this.#take(1).readInt8();
    const data = this.#take(length);
    if (type !== timeExtension) throw new Error(`unknown extension ${type} of MessagePack`);
    switch (length) {
      case 4:
        return new Timestamp(data.readUInt32BE(), 0, utcZone);
      case 8: {
        const both = data.readBigUInt64BE();
        return new Timestamp(Number(both & 0x3ffffffffn), nanosOf(Number(both >> 34n)), utcZone);
      }
      case 12:
        return new Timestamp(Number(data.readBigInt64BE(4)), nanosOf(data.readUInt32BE()), utcZone);
      default:
        throw new Error(`a time of MessagePack has ${length} bytes`);
    }
  }
}

/** Messages are JSON, which has no other numbers. */
function finite(value: number): Value {
  if (!Number.isFinite(value)) throw new Error('a number of MessagePack is not finite');
  return floatValue(value);
}

function nanosOf(nanos: number): number {
  if (nanos > 999_999_999) throw new Error('a time of MessagePack has too many nanoseconds');
  return nanos;
}

function keyText(key: Value): string {
  if (key === null) return '';
  if (typeof key === 'string') return key;
  if (key instanceof Bytes) return key.buffer.toString();
  throw new Error('a key of MessagePack is no text');
}

/** The shortest decimal that is this float of 32 bits. */
function shortestSingle(single: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return single;
}

export function parseMsgpack(bytes: Buffer): Value {
  return new Reader(bytes).value();
}

class Writer {
  readonly #parts: Buffer[] = [];

  get whole(): Buffer {
    return Buffer.concat(this.#parts);
  }

  write(value: Value, depth = 0): void {
    if (depth > bloblangLimits.valueDepthMax) tooDeep();
    if (value === null) this.#byte(0xc0);
    else if (typeof value === 'boolean') this.#byte(value ? 0xc3 : 0xc2);
    else if (typeof value === 'string') this.#text(value);
    else if (isNumber(value)) this.#number(value);
    else if (value instanceof Bytes) {
      this.#head(value.buffer.length, [], [0xc4, 0xc5, 0xc6]);
      this.#parts.push(value.buffer);
    } else if (value instanceof Timestamp) this.#time(value);
    else if (Array.isArray(value)) {
      this.#head(value.length, [0x90, 0x0f], [undefined, 0xdc, 0xdd]);
      for (const item of value) this.write(item, depth + 1);
    } else if (isObject(value)) {
      const keys = Object.keys(value).sort();
      this.#head(keys.length, [0x80, 0x0f], [undefined, 0xde, 0xdf]);
      for (const key of keys) {
        this.#text(key);
        this.write(value[key]!, depth + 1);
      }
    } else throw new Error('the value cannot be written as MessagePack');
  }

  #byte(byte: number): void {
    this.#parts.push(Buffer.from([byte]));
  }

  #text(text: string): void {
    const bytes = Buffer.from(text);
    this.#head(bytes.length, [0xa0, 0x1f], [0xd9, 0xda, 0xdb]);
    this.#parts.push(bytes);
  }

  /** A length behind a type: in the type itself if it is small, or in 1, 2 or 4 bytes. */
  #head(
    length: number,
    [fixed, fixedMax = -1]: readonly number[],
    [one, two, four]: readonly [number | undefined, number, number],
  ): void {
    if (fixed !== undefined && length <= fixedMax) this.#byte(fixed | length);
    else if (one !== undefined && length <= 0xff) this.#parts.push(Buffer.from([one, length]));
    else {
      const isShort = length <= 0xffff;
      const head = Buffer.alloc(isShort ? 3 : 5);
      head[0] = isShort ? two : four;
      head.writeUIntBE(length, 1, isShort ? 2 : 4);
      this.#parts.push(head);
    }
  }

  #number(value: number | bigint | Float): void {
    if (isFloat(value)) {
      const head = Buffer.alloc(9);
      head[0] = 0xcb;
      head.writeDoubleBE(asFloat(value), 1);
      this.#parts.push(head);
    } else this.#integer(BigInt(value as number | bigint));
  }

  #integer(whole: bigint): void {
    if (whole >= -32n && whole < 128n) {
      this.#byte(Number(BigInt.asUintN(8, whole)));
      return;
    }
    const [bytes, type] = sizeOf(whole);
    const head = Buffer.alloc(1 + bytes);
    head[0] = type;
    if (bytes === 8) head.writeBigUInt64BE(BigInt.asUintN(64, whole), 1);
    else if (whole < 0n) head.writeIntBE(Number(whole), 1, bytes);
    else head.writeUIntBE(Number(whole), 1, bytes);
    this.#parts.push(head);
  }

  #time({ unixSeconds, nanos }: Timestamp): void {
    const head = Buffer.alloc(15);
    head.set([0xc7, 12, 0xff]);
    head.writeUInt32BE(nanos, 3);
    head.writeBigInt64BE(BigInt(unixSeconds), 7);
    this.#parts.push(head);
  }
}

/** How many bytes an integer takes, and the type of such an integer. */
function sizeOf(whole: bigint): [bytes: number, type: number] {
  const sizes = [1, 2, 4, 8] as const;
  const log = sizes.findIndex((bytes) =>
    whole < 0n ? whole === BigInt.asIntN(8 * bytes, whole) : whole === BigInt.asUintN(8 * bytes, whole),
  );
  return [sizes[log]!, (whole < 0n ? 0xd0 : 0xcc) + log];
}

export function printMsgpack(value: Value): Buffer {
  const writer = new Writer();
  writer.write(value);
  return writer.whole;
}
