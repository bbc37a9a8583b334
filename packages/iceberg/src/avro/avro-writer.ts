import type { AvroType, AvroValue } from './avro-type.ts';

/** Writes values in Avro's binary encoding into memory that grows. */
export class AvroWriter {
  #memory = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns a copy of what was written, and starts again. */
  take(): Buffer {
    const taken = Buffer.from(this.#memory.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  value(type: AvroType, value: AvroValue): void {
    switch (type.kind) {
      case 'null':
        return;
      case 'boolean':
        this.#reserve(1);
        this.#memory[this.#length++] = value ? 1 : 0;
        return;
      case 'int':
        this.long(BigInt(value as number));
        return;
      case 'long':
        this.long(value as bigint);
        return;
      case 'float':
        this.#reserve(4);
        this.#length = this.#memory.writeFloatLE(value as number, this.#length);
        return;
      case 'double':
        this.#reserve(8);
        this.#length = this.#memory.writeDoubleLE(value as number, this.#length);
        return;
      case 'bytes':
        this.bytes(value as Uint8Array);
        return;
      case 'string':
        this.text(value as string);
        return;
      case 'fixed':
        if ((value as Uint8Array).length !== type.bytes)
          throw new Error(`a fixed of ${type.bytes} bytes got other bytes`);
        this.raw(value as Uint8Array);
        return;
      case 'array': {
        const elements = value as readonly AvroValue[];
        if (elements.length > 0) this.long(BigInt(elements.length));
        for (const element of elements) this.value(type.element, element);
        this.long(0n);
        return;
      }
      case 'map': {
        const { entries } = value as { entries: ReadonlyMap<string, AvroValue> };
        if (entries.size > 0) this.long(BigInt(entries.size));
        for (const [key, one] of entries) {
          this.text(key);
          this.value(type.value, one);
        }
        this.long(0n);
        return;
      }
      case 'union': {
        // Manifests have unions of null and one other type only.
        const at = type.branches.findIndex(({ kind }) => (kind === 'null') === (value === null));
        this.long(BigInt(at));
        this.value(type.branches[at]!, value);
        return;
      }
      case 'record': {
        const record = value as ReadonlyMap<number, AvroValue>;
        for (const field of type.fields) {
          const one = record.get(field.id) ?? null;
          if (one === null && field.type.kind !== 'union')
            throw new Error(`the field ${field.name} is required`);
          this.value(field.type, one);
        }
      }
    }
  }

  /** A variable number of bytes: zigzag, the lowest seven bits first. */
  long(value: bigint): void {
    this.#reserve(10);
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    while (rest > 0x7fn) {
      this.#memory[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#memory[this.#length++] = Number(rest);
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  bytes(bytes: Uint8Array): void {
    this.long(BigInt(bytes.length));
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#memory.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#memory.length));
    this.#memory.copy(grown, 0, 0, this.#length);
    this.#memory = grown;
  }
}
