import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { type AvroType, branchName, type EnumType, type RecordType, type UnionType } from './avro-type.ts';
import { tooDeepText } from './payload-validator.ts';
import { quoted } from './quoted.ts';

const noBytes = Buffer.alloc(0);
const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/** Writes values in Avro's JSON encoding as payloads. */
export class PayloadWriter {
  readonly #ordinals = new Map<EnumType, ReadonlyMap<string, number>>();
  readonly #branches = new Map<UnionType, ReadonlyMap<string, number>>();
  readonly #path: string[] = [];
  #bytes: Buffer = noBytes;
  #length = 0;
  #depth = 0;

  write(type: AvroType, value: unknown): Uint8Array {
    this.#bytes = Buffer.allocUnsafe(1024);
    this.#length = 0;
    this.#depth = 0;
    this.#path.length = 0;
    this.#value(type, value);
    const payload = new Uint8Array(this.#bytes.subarray(0, this.#length));
    this.#bytes = noBytes;
    return payload;
  }

  /** A level takes two frames of the stack: this one, and that of the record, the array or the map. */
  #value(declared: AvroType, given: unknown): void {
    const [type, value] = declared.kind === 'union' ? this.#branch(declared, given) : [declared, given];
    if (type.kind === 'record') this.#record(type, value);
    else if (type.kind === 'array') this.#array(type, value);
    else if (type.kind === 'map') this.#map(type, value);
    else this.#scalar(type, value);
  }

  #scalar(type: AvroType, value: unknown): void {
    switch (type.kind) {
      case 'null':
        if (value !== null) throw this.#mismatch(type, value);
        return;
      case 'boolean':
        if (typeof value !== 'boolean') throw this.#mismatch(type, value);
        this.#room(1)[this.#length - 1] = value ? 1 : 0;
        return;
      case 'int':
        if (typeof value !== 'number' || value !== (value | 0)) throw this.#mismatch(type, value);
        this.#long(BigInt(value));
        return;
      case 'long':
        this.#long(this.#longOf(type, value));
        return;
      case 'float':
        this.#room(4).writeFloatLE(this.#floatOf(type, value), this.#length - 4);
        return;
      case 'double':
        this.#room(8).writeDoubleLE(this.#floatOf(type, value), this.#length - 8);
        return;
      case 'string': {
        if (typeof value !== 'string') throw this.#mismatch(type, value);
        const size = Buffer.byteLength(value);
        this.#count(size);
        this.#room(size).write(value, this.#length - size);
        return;
      }
      case 'bytes': {
        const bytes = this.#binary(type, value);
        this.#count(bytes.length);
        this.#append(bytes);
        return;
      }
      case 'fixed': {
        const bytes = this.#binary(type, value);
        if (bytes.length !== type.sizeBytes) {
          throw this.#problem(
            `fixed ${quoted(type.fullName)} has ${type.sizeBytes} bytes, not ${bytes.length}`,
          );
        }
        this.#append(bytes);
        return;
      }
      case 'enum': {
        const ordinal = typeof value === 'string' ? this.#ordinalsOf(type).get(value) : undefined;
        if (ordinal === undefined) throw this.#mismatch(type, value);
        this.#count(ordinal);
        return;
      }
    }
  }

  /** Writes which branch of a union a value has, and returns the branch and the value in it. */
  #branch(union: UnionType, value: unknown): readonly [AvroType, unknown] {
    const branches = this.#branchesOf(union);
    const entries = isPlainObject(value) ? Object.entries(value) : [];
    if (value !== null && entries.length !== 1) {
      throw this.#problem(
        `a value of a union is null, or an object of the branch and its value, not ${described(value)}`,
      );
    }
    const [name, content] = entries[0] ?? ['null', null];
    const index = branches.get(name);
    if (index === undefined) throw this.#problem(`the union has no branch ${quoted(name)}`);
    this.#count(index);
    return [union.branches[index]!, content];
  }

  #record(record: RecordType, value: unknown): void {
    if (!isPlainObject(value)) throw this.#mismatch(record, value);
    this.#deeper();
    for (const field of record.fields) {
      this.#path.push(field.name);
      if (!Object.hasOwn(value, field.name)) throw this.#problem('the field is missing');
      this.#value(field.type, value[field.name]);
      this.#path.pop();
    }
    const surplus = Object.keys(value).find((key) => !record.fieldByName.has(key));
    if (surplus !== undefined) {
      throw this.#problem(`record ${quoted(record.fullName)} has no field ${quoted(surplus)}`);
    }
    this.#depth -= 1;
  }

  #array(array: Extract<AvroType, { kind: 'array' }>, value: unknown): void {
    if (!Array.isArray(value)) throw this.#mismatch(array, value);
    this.#deeper();
    if (value.length > 0) this.#count(value.length);
    for (const [at, item] of value.entries()) {
      this.#path.push(String(at));
      this.#value(array.items, item);
      this.#path.pop();
    }
    this.#count(0);
    this.#depth -= 1;
  }

  #map(map: Extract<AvroType, { kind: 'map' }>, value: unknown): void {
    if (!isPlainObject(value)) throw this.#mismatch(map, value);
    this.#deeper();
    const entries = Object.entries(value);
    if (entries.length > 0) this.#count(entries.length);
    for (const [key, item] of entries) {
      this.#path.push(key);
      const size = Buffer.byteLength(key);
      this.#count(size);
      this.#room(size).write(key, this.#length - size);
      this.#value(map.values, item);
      this.#path.pop();
    }
    this.#count(0);
    this.#depth -= 1;
  }

  #longOf(type: AvroType, value: unknown): bigint {
    let long: bigint | undefined;
    if (typeof value === 'bigint') long = value;
    else if (typeof value === 'number' && Number.isSafeInteger(value)) long = BigInt(value);
    else if (typeof value === 'string' && /^-?[0-9]{1,19}$/.test(value)) long = BigInt(value);
    if (long === undefined || long < longMin || long > longMax) throw this.#mismatch(type, value);
    return long;
  }

  #floatOf(type: AvroType, value: unknown): number {
    if (typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
    throw this.#mismatch(type, value);
  }

  #binary(type: AvroType, value: unknown): Buffer {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: characters are bytes here
    if (typeof value !== 'string' || !/^[\u0000-\u00ff]*$/.test(value)) throw this.#mismatch(type, value);
    return Buffer.from(value, 'latin1');
  }

  #ordinalsOf(type: EnumType): ReadonlyMap<string, number> {
    const known = this.#ordinals.get(type);
    if (known !== undefined) return known;
    const ordinals = new Map(type.symbols.map((symbol, at) => [symbol, at]));
    this.#ordinals.set(type, ordinals);
    return ordinals;
  }

  #branchesOf(union: UnionType): ReadonlyMap<string, number> {
    const known = this.#branches.get(union);
    if (known !== undefined) return known;
    const branches = new Map(union.branches.map((branch, at) => [branchName(branch), at]));
    this.#branches.set(union, branches);
    return branches;
  }

  #count(value: number): void {
    let rest = value * 2;
    while (rest >= 0x80) {
      this.#room(1)[this.#length - 1] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#room(1)[this.#length - 1] = rest;
  }

  #long(value: bigint): void {
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    while (rest >= 0x80n) {
      this.#room(1)[this.#length - 1] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#room(1)[this.#length - 1] = Number(rest);
  }

  #append(bytes: Buffer): void {
    bytes.copy(this.#room(bytes.length), this.#length - bytes.length);
  }

  /** Makes room for more bytes, which are then the last ones. */
  #room(length: number): Buffer {
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    return this.#bytes;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > registryLimits.avroPayloadDepthMax) throw this.#problem(tooDeepText);
  }

  #mismatch(type: AvroType, value: unknown): InvalidPayload {
    const name = type.kind === 'union' ? 'union' : branchName(type);
    return this.#problem(`expected a value of type ${quoted(name)}, found ${described(value)}`);
  }

  #problem(what: string): InvalidPayload {
    return new InvalidPayload(this.#path.length === 0 ? what : `${this.#path.join('.')}: ${what}`);
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function described(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
