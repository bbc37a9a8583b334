import type { Layout, LayoutField, LayoutType } from '../schema/layout.ts';
import { type Run, runtimeFor } from './decoder-runtime.ts';
import { defaultExpression } from './defaults.ts';
import { type FixedKind, fixedSizes, isFixed, runsOf, smallestSize } from './sizes.ts';
import { Source } from './source.ts';

/**
 * Generates the decoder of one message version: straight-line code that knows every field, with one bounds check per
 * run of fixed-size fields. Byte fields are views of the frame.
 *
 * Each structure has its own function. One function for the whole message would spend its time inside its loops, where
 * the engine optimises least well.
 *
 * Every length is checked against the remaining bytes before anything is allocated for it, and the number of array
 * elements in one message is bounded, so a frame with false lengths costs no more than a valid one of its size.
 */
export type Decoder = (
  frame: Buffer,
  view: DataView,
  start: number,
  end: number,
  elementsMax: number,
) => object;

export function generateDecoder(layout: Layout, title: string): Decoder {
  const generator = new DecoderGenerator(title);
  const source = generator.generate(layout);
  return new Function('runtime', source)(runtimeFor(title, generator.runs)) as Decoder;
}

const getters: Readonly<Record<Exclude<FixedKind, 'bool' | 'uuid'>, string>> = {
  int8: 'getInt8',
  int16: 'getInt16',
  uint16: 'getUint16',
  int32: 'getInt32',
  uint32: 'getUint32',
  int64: 'getBigInt64',
  float64: 'getFloat64',
};

class DecoderGenerator {
  readonly runs: Run[] = [];
  readonly #title: string;
  readonly #source = new Source();

  constructor(title: string) {
    this.#title = title;
  }

  generate(layout: Layout): string {
    const source = this.#source;
    source.line(`// ${this.#title}`);
    source.line("'use strict';");
    source.line('const { int32List, longVarint, cursor, noBytes } = runtime;');
    // Where the next structure begins, and how many elements the message may still have.
    source.line('let position = 0;');
    source.line('let elementsLeft = 0;');
    source.line('let budget = 0;');
    const read = this.#structReader(layout, 'message');
    source.block('return function decode(frame, view, start, end, elementsMax)', () => {
      source.line('position = start;');
      source.line('elementsLeft = budget = elementsMax;');
      source.line(`const message = ${read}(frame, view, end);`);
      source.line('cursor.position = position;');
      source.line('cursor.elements = elementsMax - elementsLeft;');
      source.line('return message;');
    });
    return source.toString();
  }

  /** Generates the function that reads a structure at `position`, and returns its name. */
  #structReader(layout: Layout, path: string): string {
    return this.#source.define('read', path, 'frame, view, end', () => {
      this.#source.line('let p = position;');
      this.#structBody(layout, path);
    });
  }

  #structBody(layout: Layout, path: string): void {
    const values = new Map<string, string>();
    for (const run of runsOf(layout.fields)) {
      if (isFixed(run[0]!.type)) this.#fixedRun(run, values);
      else values.set(run[0]!.name, this.#field(run[0]!));
    }
    const unknown = layout.flexible ? this.#taggedSection(layout, path, values) : undefined;
    for (const field of layout.absent) values.set(field.name, defaultExpression(field));

    // Properties always come in the order of the definition, so that all versions share one hidden class.
    const object = this.#source.fresh('object');
    const members = layout.names.map((name) => `${name}: ${values.get(name)}`);
    this.#source.line('position = p;');
    this.#source.line(`const ${object} = { ${members.join(', ')} };`);
    if (unknown !== undefined) {
      this.#source.line(`if (${unknown} !== undefined) ${object}.unknownTaggedFields = ${unknown};`);
    }
    this.#source.line(`return ${object};`);
  }

  /** Emits the call that reads a nested structure into an existing variable. */
  #callStruct(target: string, layout: Layout, path: string): void {
    const read = this.#structReader(layout, path);
    this.#source.line('position = p;');
    this.#source.line(`${target} = ${read}(frame, view, end);`);
    this.#source.line('p = position;');
  }

  #fixedRun(run: readonly LayoutField[], values: Map<string, string>): void {
    const sizes = run.map(({ path, type }) => ({ path, size: fixedSizes[type.kind as FixedKind] }));
    const byteCount = sizes.reduce((sum, { size }) => sum + size, 0);
    this.#source.line(`if (end - p < ${byteCount}) runtime.endsInRun(${this.runs.length}, p, end);`);
    this.runs.push(sizes);
    let offset = 0;
    for (const field of run) {
      const value = this.#source.fresh(field.name);
      this.#source.line(`const ${value} = ${fixedAt(field.type.kind as FixedKind, offset)};`);
      values.set(field.name, value);
      offset += fixedSizes[field.type.kind as FixedKind];
    }
    this.#source.line(`p += ${byteCount};`);
  }

  #field(field: LayoutField): string {
    const value = this.#source.fresh(field.name);
    this.#source.line(`let ${value};`);
    this.#assign(value, field.type, field.path, field.nullable);
    return value;
  }

  /** Emits the code that reads one value of any type into an existing variable. */
  #assign(target: string, type: LayoutType, path: string, nullable: boolean): void {
    if (isFixed(type)) {
      this.#need(path, fixedSizes[type.kind]);
      this.#source.line(`${target} = ${fixedAt(type.kind, 0)};`);
      this.#source.line(`p += ${fixedSizes[type.kind]};`);
      return;
    }
    switch (type.kind) {
      case 'struct':
        this.#assignStruct(target, type.layout, path, nullable);
        return;
      case 'array':
        this.#assignArray(target, type, path, nullable);
        return;
      case 'string':
      case 'bytes':
      case 'records':
        this.#assignSlice(target, type, path, nullable);
        return;
    }
  }

  #assignStruct(target: string, layout: Layout, path: string, nullable: boolean): void {
    if (!nullable) {
      this.#callStruct(target, layout, path);
      return;
    }
    this.#need(path, 1);
    this.#source.line(`if (frame[p++] > 0x7f) ${target} = null;`);
    this.#source.block('else', () => this.#callStruct(target, layout, path));
  }

  #assignSlice(
    target: string,
    type: Extract<LayoutType, { kind: 'string' | 'bytes' | 'records' }>,
    path: string,
    nullable: boolean,
  ): void {
    const { length, at } = this.#length(type.compact, type.kind === 'string' ? 2 : 4, path);
    this.#orNull(target, length, at, path, nullable, () => {
      this.#source.line(`if (${length} > end - p) runtime.tooLong('${path}', ${at}, ${length}, end - p);`);
      const slice =
        type.kind === 'string' ? `frame.utf8Slice(p, p + ${length})` : `frame.subarray(p, p + ${length})`;
      this.#source.line(`${target} = ${slice};`);
      this.#source.line(`p += ${length};`);
    });
  }

  #assignArray(
    target: string,
    type: Extract<LayoutType, { kind: 'array' }>,
    path: string,
    nullable: boolean,
  ): void {
    const { length: count, at } = this.#length(type.compact, 4, path);
    this.#orNull(target, count, at, path, nullable, () => {
      const smallest = Math.max(1, smallestSize(type.element));
      this.#source.line(
        `if (${count} * ${smallest} > end - p) runtime.tooMany('${path}', ${at}, ${count}, end - p);`,
      );
      this.#source.line(`if ((elementsLeft -= ${count}) < 0) runtime.overBudget('${path}', ${at}, budget);`);
      const { element } = type;
      if (isFixed(element)) this.#fixedElements(target, count, element.kind);
      else this.#elements(target, count, element, type.path);
    });
  }

  #elements(target: string, count: string, element: LayoutType, path: string): void {
    const index = this.#source.fresh('i');
    this.#source.line(`${target} = new Array(${count});`);
    if (element.kind === 'struct') {
      const read = this.#structReader(element.layout, path);
      this.#source.line('position = p;');
      this.#source.line(
        `for (let ${index} = 0; ${index} < ${count}; ${index}++) ${target}[${index}] = ${read}(frame, view, end);`,
      );
      this.#source.line('p = position;');
      return;
    }
    this.#source.block(`for (let ${index} = 0; ${index} < ${count}; ${index}++)`, () => {
      this.#assign(`${target}[${index}]`, element, path, false);
    });
  }

  /** No bounds check here: the check of the count has covered every element. */
  #fixedElements(target: string, count: string, kind: FixedKind): void {
    if (kind === 'int32') {
      this.#source.line(`${target} = int32List(view, p, ${count});`);
    } else {
      const index = this.#source.fresh('i');
      this.#source.line(`${target} = new Array(${count});`);
      this.#source.line(
        `for (let ${index} = 0, q = p; ${index} < ${count}; ${index}++, q += ${fixedSizes[kind]}) ` +
          `${target}[${index}] = ${fixedAt(kind, 0, 'q')};`,
      );
    }
    this.#source.line(`p += ${count} * ${fixedSizes[kind]};`);
  }

  /** Emits the code that reads a length or count. Null is -1, in the compact form too, where it is zero on the wire. */
  #length(compact: boolean, prefixBytes: 2 | 4, path: string): { length: string; at: string } {
    const at = this.#source.fresh('at');
    this.#source.line(`const ${at} = p;`);
    const length = this.#source.fresh('length');
    if (compact) {
      this.#source.line(`const ${length} = ${this.#varint(path)} - 1;`);
      return { length, at };
    }
    this.#need(path, prefixBytes);
    this.#source.line(`const ${length} = view.${prefixBytes === 2 ? 'getInt16' : 'getInt32'}(p);`);
    this.#source.line(`p += ${prefixBytes};`);
    return { length, at };
  }

  #varint(path: string): string {
    const value = this.#source.fresh('varint');
    this.#source.line(`if (p >= end) runtime.endsAt('${path}', p);`);
    this.#source.line(`let ${value} = frame[p++];`);
    this.#source.block(`if (${value} > 0x7f)`, () => {
      this.#source.line(`${value} = longVarint(frame, '${path}', p, end, ${value});`);
      this.#source.line('p = cursor.position;');
    });
    return value;
  }

  #orNull(
    target: string,
    length: string,
    at: string,
    path: string,
    nullable: boolean,
    read: () => void,
  ): void {
    this.#source.block(`if (${length} < 0)`, () => {
      if (nullable) {
        this.#source.line(`if (${length} !== -1) runtime.negative('${path}', ${at}, ${length});`);
        this.#source.line(`${target} = null;`);
      } else {
        this.#source.line(`runtime.negative('${path}', ${at}, ${length});`);
      }
    });
    this.#source.block('else', read);
  }

  #need(path: string, byteCount: number): void {
    this.#source.line(`if (end - p < ${byteCount}) runtime.endsAt('${path}', p);`);
  }

  /**
   * Emits the code that reads the tagged section, sets the known fields and returns the variable with the unknown ones.
   */
  #taggedSection(layout: Layout, owner: string, values: Map<string, string>): string {
    const path = `${owner} tagged fields`;
    const unknown = this.#source.fresh('unknown');
    this.#source.line(`let ${unknown};`);
    const known = layout.tagged.map((field) => {
      const value = this.#source.fresh(field.name);
      this.#source.line(`let ${value};`);
      values.set(field.name, value);
      return { field, value };
    });

    const count = this.#varint(path);
    this.#source.block(`if (${count} > 0)`, () => {
      // A tagged field takes at least two bytes: its tag and its size.
      this.#source.line(`if (${count} * 2 > end - p) runtime.tooMany('${path}', p, ${count}, end - p);`);
      this.#source.line(`if ((elementsLeft -= ${count}) < 0) runtime.overBudget('${path}', p, budget);`);
      const index = this.#source.fresh('i');
      const previous = this.#source.fresh('previousTag');
      this.#source.line(`let ${previous} = -1;`);
      this.#source.block(`for (let ${index} = 0; ${index} < ${count}; ${index}++)`, () => {
        this.#taggedField(known, path, previous, unknown);
      });
    });

    for (const { field, value } of known) {
      this.#source.line(`if (${value} === undefined) ${value} = ${defaultExpression(field)};`);
    }
    return unknown;
  }

  #taggedField(
    known: readonly { readonly field: { readonly tag: number } & LayoutField; readonly value: string }[],
    path: string,
    previous: string,
    unknown: string,
  ): void {
    const at = this.#source.fresh('at');
    this.#source.line(`const ${at} = p;`);
    const tag = this.#varint(path);
    this.#source.line(
      `if (${tag} <= ${previous}) runtime.fail('${path}', ${at}, \`tag \${${tag}} does not follow tag \${${previous}}\`);`,
    );
    this.#source.line(`${previous} = ${tag};`);
    const size = this.#varint(path);
    this.#source.line(`if (${size} > end - p) runtime.tooLong('${path}', ${at}, ${size}, end - p);`);
    const stop = this.#source.fresh('stop');
    this.#source.line(`const ${stop} = p + ${size};`);
    this.#source.block(`switch (${tag})`, () => {
      for (const { field, value } of known) {
        this.#source.block(`case ${field.tag}:`, () => {
          this.#assign(value, field.type, field.path, field.nullable);
          this.#source.line(
            `if (p !== ${stop}) runtime.fail('${field.path}', ${at}, \`takes \${p - ${stop} + ${size}} bytes but declares \${${size}}\`);`,
          );
          this.#source.line('break;');
        });
      }
      this.#source.block('default:', () => {
        this.#source.line(`if (${unknown} === undefined) ${unknown} = [];`);
        this.#source.line(`${unknown}.push({ tag: ${tag}, data: frame.subarray(p, ${stop}) });`);
        this.#source.line(`p = ${stop};`);
      });
    });
  }
}

function fixedAt(kind: FixedKind, offset: number, position = 'p'): string {
  const at = offset === 0 ? position : `${position} + ${offset}`;
  if (kind === 'bool') return `frame[${at}] !== 0`;
  if (kind === 'uuid') return `frame.base64urlSlice(${at}, ${position} + ${offset + 16})`;
  return `view.${getters[kind]}(${at})`;
}
