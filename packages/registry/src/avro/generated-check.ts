import { registryLimits } from '../limits.ts';
import type { AvroType, RecordType, UnionType } from './avro-type.ts';
import { checkHelpers } from './check-helpers.ts';
import { recordsMin, recordsPerByteMax } from './payload-validator.ts';
import { RecordContents } from './record-contents.ts';

/**
 * Returns how many records were entered if the bytes from `start` to `end` are a valid payload. Negative otherwise, and
 * also for what serializers do not write, such as padded lengths: then the validator that knows reasons decides.
 */
export type PayloadCheck = (bytes: Uint8Array, start: number, end: number) => number;

/** Values of a schema in generated code. Larger schemas stay with the validator, whose cost is linear. */
const valuesMax = 1_000;
/** Records, arrays and maps inside each other in the code of one function. */
const nestingMax = 50;
/** Records that are inlined in each other. Deeper ones get functions of their own. */
const inlinedDepthMax = 20;
/**
 * The validator limits records by the bytes of a payload. Half of that is for calls, which are counted; the items of
 * arrays and maps take a byte each and so need no counter while they have few records.
 */
const itemRecordsMax = recordsPerByteMax / 2;
const rootRecordsMax = recordsMin / 2;
const unionBytesMax = 64;

class TooComplex extends Error {}

/**
 * Generates JavaScript that passes over payloads of a schema without creating objects: this runs for every record that
 * a topic validates. The code contains nothing of the schema but numbers. Undefined for large schemas.
 */
export function generateCheck(root: AvroType): PayloadCheck | undefined {
  try {
    const source = new CheckGenerator().generate(root);
    return new Function('helpers', source)(checkHelpers) as PayloadCheck;
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}

interface Routine {
  readonly name: string;
  readonly record: RecordType;
}

class CheckGenerator {
  readonly #contents = new RecordContents();
  /** Each record is inlined where it first occurs, and called elsewhere. */
  readonly #inlined = new Set<RecordType>();
  readonly #routines = new Map<RecordType, Routine>();
  readonly #open: Routine[] = [];
  #lines: string[] = [];
  /** Bytes to pass over before the next line. Fields of fixed sizes that follow each other are passed over at once. */
  #pendingSkip = 0;
  #values = 0;
  #variables = 0;
  /** Records, arrays and maps around the current place in its function, and the largest number of them there. */
  #depth = 0;
  #depthMax = 0;
  #inlinedDepth = 0;
  /** Records in the current function or item. */
  #records = 0;

  generate(root: AvroType): string {
    const functions = [this.#function('root', () => this.#value(root))];
    if (this.#records > rootRecordsMax) throw new TooComplex();
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      const { name, record } = next;
      functions.push(this.#function(name, () => this.#fields(record)));
    }
    return `'use strict';
const { countAt, textEnd, intEnd, longEnd } = helpers;
let emptyLeft = 0;
let recordsLeft = 0;
${functions.join('\n')}
return (bytes, start, end) => {
  emptyLeft = ${registryLimits.avroEmptyValuesMax};
  const recordsMax = ${rootRecordsMax} + ${itemRecordsMax} * (end - start);
  recordsLeft = recordsMax;
  return root(bytes, start, end, 0) === end ? recordsMax - recordsLeft : -1;
};`;
  }

  /** A function returns where the value ends, or -1. */
  #function(name: string, body: () => void): string {
    this.#lines = [];
    this.#depthMax = 0;
    this.#records = 0;
    body();
    this.#line('return at;');
    return `const ${name}DepthMax = ${registryLimits.avroPayloadDepthMax - this.#depthMax};
const ${name}Records = ${this.#records};
function ${name}(bytes, at, end, depth) {
let byte = 0;
${this.#lines.join('\n')}
}`;
  }

  #value(type: AvroType): void {
    this.#values += 1;
    if (this.#values > valuesMax) throw new TooComplex();
    switch (type.kind) {
      case 'null':
        break;
      case 'boolean':
        this.#line('if (at >= end || bytes[at] > 1) return -1;', 'at += 1;');
        break;
      case 'int':
      case 'long':
        this.#line(
          'if (at >= end) return -1;',
          `if (bytes[at] < 0x80) at += 1; else if ((at = ${type.kind}End(bytes, at, end)) > end) return -1;`,
        );
        break;
      case 'bytes':
      case 'string':
        this.#text();
        break;
      case 'float':
        this.#pendingSkip += 4;
        break;
      case 'double':
        this.#pendingSkip += 8;
        break;
      case 'fixed':
        this.#pendingSkip += type.sizeBytes;
        break;
      case 'enum':
        this.#enum(type.symbols.length);
        break;
      case 'array':
        this.#array(type.items);
        break;
      case 'map':
        this.#blocks(() => {
          this.#text();
          this.#value(type.values);
        });
        break;
      case 'union':
        this.#union(type);
        break;
      case 'record':
        this.#record(type);
        break;
    }
  }

  #text(): void {
    this.#line(
      'if (at >= end) return -1;',
      'byte = bytes[at];',
      'if ((byte & 0x81) === 0) at += 1 + (byte >> 1); else at = textEnd(bytes, at, end);',
      'if (at > end) return -1;',
    );
  }

  #enum(symbols: number): void {
    if (symbols <= unionBytesMax) {
      const last = 2 * (symbols - 1);
      this.#line(
        'if (at >= end) return -1;',
        'byte = bytes[at];',
        `if (byte > ${last} || (byte & 1) !== 0) return -1;`,
        'at += 1;',
      );
    } else {
      this.#line('byte = countAt(bytes, at, end);', `if (byte < 0 || (byte & 4) !== 0) return -1;`);
      this.#line(`if (byte >> 3 >= ${symbols}) return -1;`, 'at += byte & 3;');
    }
  }

  #union({ branches }: UnionType): void {
    if (branches.length > unionBytesMax) throw new TooComplex();
    this.#line('if (at >= end) return -1;', 'byte = bytes[at];', 'at += 1;', 'switch (byte) {');
    const before = this.#records;
    let most = before;
    for (const [index, branch] of branches.entries()) {
      this.#line(`case ${2 * index}:`);
      this.#records = before;
      this.#value(branch);
      most = Math.max(most, this.#records);
      this.#line('break;');
    }
    this.#records = most;
    this.#line('default: return -1;', '}');
  }

  #array(items: AvroType): void {
    const { emptyValues } = this.#contents.of(items);
    this.#blocks(() => (emptyValues > 0 ? undefined : this.#value(items)), emptyValues);
  }

  /** Items of an array or a map, in blocks. */
  #blocks(item: () => void, emptyValues = 0): void {
    this.#variables += 1;
    const count = `count${this.#variables}`;
    const blockEnd = `blockEnd${this.#variables}`;
    this.#line(
      'for (;;) {',
      `let ${count} = countAt(bytes, at, end);`,
      `if (${count} < 0) return -1;`,
      `at += ${count} & 3;`,
      `${count} >>= 2;`,
      `if (${count} === 0) break;`,
      `let ${blockEnd} = -1;`,
      // A negative count is followed by the size of the block.
      `if ((${count} & 1) !== 0) {`,
      `${count} += 1;`,
      'byte = countAt(bytes, at, end);',
      'if (byte < 0 || (byte & 4) !== 0) return -1;',
      'at += byte & 3;',
      `${blockEnd} = at + (byte >> 3);`,
      '}',
      `${count} >>= 1;`,
    );
    this.#deeper(() => {
      if (emptyValues > 0) this.#addEmpty(`${count} * ${emptyValues}`);
      else this.#items(count, item);
    });
    this.#line(`if (${blockEnd} >= 0 && at !== ${blockEnd}) return -1;`, '}');
  }

  #items(count: string, item: () => void): void {
    const records = this.#records;
    this.#records = 0;
    const begin = this.#lines.length;
    // Every item takes a byte at least.
    this.#line(`if (${count} > end - at) return -1;`, 'do {');
    const body = this.#lines.length;
    item();
    if (this.#records > itemRecordsMax) throw new TooComplex();
    if (this.#lines.length === body) {
      // Items of a fixed size.
      this.#lines.length = begin;
      this.#lines.push(`at += ${count} * ${this.#pendingSkip};`, 'if (at > end) return -1;');
      this.#pendingSkip = 0;
    } else this.#line(`} while (--${count} > 0);`);
    this.#records = records;
  }

  #record(record: RecordType): void {
    const { kind, emptyValues } = this.#contents.of(record);
    if (kind === 'endless') this.#line('return -1;');
    else if (kind === 'empty') this.#addEmpty(String(emptyValues));
    else if (this.#inlined.has(record) || this.#inlinedDepth >= inlinedDepthMax) this.#call(record);
    else {
      this.#inlined.add(record);
      this.#fields(record);
    }
  }

  #fields({ fields }: RecordType): void {
    this.#records += 1;
    this.#inlinedDepth += 1;
    this.#deeper(() => {
      let emptyValues = 0;
      for (const { type } of fields) emptyValues += this.#contents.of(type).emptyValues;
      if (emptyValues > 0) this.#addEmpty(String(emptyValues));
      for (const { type } of fields) {
        if (this.#contents.of(type).kind !== 'empty') this.#value(type);
      }
    });
    this.#inlinedDepth -= 1;
  }

  #call(record: RecordType): void {
    let routine = this.#routines.get(record);
    if (routine === undefined) {
      routine = { name: `record${this.#routines.size}`, record };
      this.#routines.set(record, routine);
      this.#open.push(routine);
    }
    const { name } = routine;
    this.#line(
      `if (depth + ${this.#depth} > ${name}DepthMax || (recordsLeft -= ${name}Records) < 0) return -1;`,
      `at = ${name}(bytes, at, end, depth + ${this.#depth});`,
      'if (at < 0) return -1;',
    );
  }

  #addEmpty(count: string): void {
    this.#line(`if ((emptyLeft -= ${count}) < 0) return -1;`);
  }

  #deeper(generate: () => void): void {
    this.#depth += 1;
    if (this.#depth > nestingMax) throw new TooComplex();
    this.#depthMax = Math.max(this.#depthMax, this.#depth);
    generate();
    this.#depth -= 1;
  }

  #line(...lines: readonly string[]): void {
    if (this.#pendingSkip > 0) {
      this.#lines.push(`at += ${this.#pendingSkip};`, 'if (at > end) return -1;');
      this.#pendingSkip = 0;
    }
    this.#lines.push(...lines);
  }
}
