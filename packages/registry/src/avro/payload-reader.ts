import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { type AvroType, branchName, type RecordType } from './avro-type.ts';
import { countEnd, readCount, tooDeepText } from './payload-validator.ts';

/** Records and nulls take no bytes of their own, so that a few bytes can stand for a million values. */
const tooManyText = 'the payload has too many values for its size to be decoded';

const noBytes = new Uint8Array();
const noView = new DataView(noBytes.buffer);
const text = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads values as Avro's JSON encoding has them. Longs beyond 2^53 are texts of digits, and floats that JSON has no
 * number for are texts too.
 */
export class PayloadReader {
  #bytes: Uint8Array = noBytes;
  #view: DataView = noView;
  #at = 0;
  #depth = 0;
  /** How many values the payload may still have. */
  #valuesLeft = 0;

  /** Reads a payload that passed the validator. */
  read(type: AvroType, payload: Uint8Array): unknown {
    this.#bytes = payload;
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#at = 0;
    this.#depth = 0;
    this.#valuesLeft =
      registryLimits.avroDecodedValuesMin + payload.length * registryLimits.avroDecodedValuesPerByteMax;
    const value = this.#value(type);
    this.#bytes = noBytes;
    this.#view = noView;
    return value;
  }

  #value(type: AvroType): unknown {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw new InvalidPayload(tooManyText);
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.#take(1)[0] === 1;
      case 'int':
        return this.#count();
      case 'long':
        return this.#long();
      case 'float': {
        const at = this.#at;
        this.#take(4);
        return jsonFloat(this.#view.getFloat32(at, true));
      }
      case 'double': {
        const at = this.#at;
        this.#take(8);
        return jsonFloat(this.#view.getFloat64(at, true));
      }
      case 'bytes':
        return latin1(this.#take(this.#count()));
      case 'string':
        return text.decode(this.#take(this.#count()));
      case 'fixed':
        return latin1(this.#take(type.sizeBytes));
      case 'enum':
        return type.symbols[this.#count()];
      case 'union': {
        const branch = type.branches[this.#count()]!;
        if (branch.kind === 'null') return null;
        return withKey({}, branchName(branch), this.#value(branch));
      }
      case 'record':
        return this.#deeper(() => this.#record(type));
      case 'array':
        return this.#deeper(() => this.#array(type.items));
      case 'map':
        return this.#deeper(() => this.#map(type.values));
    }
  }

  #record(record: RecordType): object {
    const value = {};
    for (const field of record.fields) withKey(value, field.name, this.#value(field.type));
    return value;
  }

  #array(items: AvroType): unknown[] {
    const values: unknown[] = [];
    for (let count = this.#block(); count > 0; count = this.#block()) {
      for (; count > 0; count -= 1) values.push(this.#value(items));
    }
    return values;
  }

  #map(valueType: AvroType): object {
    const value = {};
    for (let count = this.#block(); count > 0; count = this.#block()) {
      for (; count > 0; count -= 1) {
        const key = text.decode(this.#take(this.#count()));
        withKey(value, key, this.#value(valueType));
      }
    }
    return value;
  }

  /** The number of items in the next block, 0 at the end. */
  #block(): number {
    const count = this.#count();
    if (count >= 0) return count;
    this.#count();
    return -count;
  }

  #count(): number {
    const count = readCount(this.#bytes, this.#at);
    this.#at = countEnd;
    return count;
  }

  #long(): number | string {
    const start = this.#at;
    const value = this.#count();
    if (Number.isSafeInteger(value) && this.#at - start < 8) return value;
    let bits = 0n;
    for (let at = this.#at - 1; at >= start; at -= 1) bits = (bits << 7n) | BigInt(this.#bytes[at]! & 0x7f);
    const exact = (bits >> 1n) ^ -(bits & 1n);
    const number = Number(exact);
    return Number.isSafeInteger(number) ? number : exact.toString();
  }

  #take(length: number): Uint8Array {
    const begin = this.#at;
    this.#at += length;
    return this.#bytes.subarray(begin, this.#at);
  }

  #deeper<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > registryLimits.avroPayloadDepthMax) throw new InvalidPayload(tooDeepText);
    const value = read();
    this.#depth -= 1;
    return value;
  }
}

/** Sets a key of an object that is about to be JSON. An assignment of `__proto__` would set the prototype. */
function withKey(object: object, key: string, value: unknown): object {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
  return object;
}

function jsonFloat(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
