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

  /** A level takes two frames of the stack: this one, and that of the record, the array or the map. */
  #value(declared: AvroType): unknown {
    this.#spendValue();
    let type = declared;
    if (declared.kind === 'union') {
      type = declared.branches[this.#count()]!;
      if (type.kind === 'null') return null;
      this.#spendValue();
    }
    let value: unknown;
    if (type.kind === 'record') value = this.#record(type);
    else if (type.kind === 'array') value = this.#array(type.items);
    else if (type.kind === 'map') value = this.#map(type.values);
    else value = this.#scalar(type);
    return declared.kind === 'union' ? withKey({}, branchName(type), value) : value;
  }

  #spendValue(): void {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw new InvalidPayload(tooManyText);
  }

  #scalar(type: AvroType): unknown {
    switch (type.kind) {
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
      default:
        return null;
    }
  }

  #record(record: RecordType): object {
    this.#deeper();
    const value = {};
    for (const field of record.fields) withKey(value, field.name, this.#value(field.type));
    this.#depth -= 1;
    return value;
  }

  #array(items: AvroType): unknown[] {
    this.#deeper();
    const values: unknown[] = [];
    for (let count = this.#block(); count > 0; count = this.#block()) {
      for (; count > 0; count -= 1) values.push(this.#value(items));
    }
    this.#depth -= 1;
    return values;
  }

  #map(valueType: AvroType): object {
    this.#deeper();
    const value = {};
    for (let count = this.#block(); count > 0; count = this.#block()) {
      for (; count > 0; count -= 1) {
        const key = text.decode(this.#take(this.#count()));
        withKey(value, key, this.#value(valueType));
      }
    }
    this.#depth -= 1;
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

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > registryLimits.avroPayloadDepthMax) throw new InvalidPayload(tooDeepText);
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
