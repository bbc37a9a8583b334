import type { Layout, LayoutField, LayoutType } from '../schema/layout.ts';
import { defaultExpression, isDefaultExpression } from './defaults.ts';
import { EncodeError } from './encode-error.ts';
import { type FixedKind, fixedSizes, isFixed, runsOf } from './sizes.ts';
import { Source } from './source.ts';
import { Writer } from './writer.ts';

/**
 * Generates the encoder of one message version: straight-line code that knows every field, so that nothing is looked up
 * while a message is written. Adjacent fields of fixed size share one reservation, and each structure has its own
 * function, as in the decoder.
 */
export type Encoder = (writer: Writer, value: object) => void;

/** The same, but it yields after every few thousand array elements. */
export type PacedEncoder = (writer: Writer, value: object) => Generator<undefined, void, undefined>;

/** A power of two. */
const elementsPerPace = 2048;

const runtime = {
  Writer,
  noBytes: Buffer.alloc(0),
  refuseNull(path: string): never {
    throw new EncodeError(path, 'null is not allowed in this version');
  },
  refuseAbsent(path: string, title: string): never {
    throw new EncodeError(path, `${title} has no such field, and its value is not the default`);
  },
};

export function generateEncoder(layout: Layout, title: string): Encoder {
  const source = new EncoderGenerator(title, false).generate(layout);
  return new Function('runtime', source)(runtime) as Encoder;
}

/** Slower than a plain encoder, for long messages only. */
export function generatePacedEncoder(layout: Layout, title: string): PacedEncoder {
  const source = new EncoderGenerator(title, true).generate(layout);
  return new Function('runtime', source)(runtime) as PacedEncoder;
}

const setters: Readonly<Record<Exclude<FixedKind, 'bool' | 'uuid'>, string>> = {
  int8: 'setInt8',
  int16: 'setInt16',
  uint16: 'setUint16',
  int32: 'setInt32',
  uint32: 'setUint32',
  int64: 'setBigInt64',
  float64: 'setFloat64',
};

class EncoderGenerator {
  readonly #title: string;
  readonly #isPaced: boolean;
  readonly #source = new Source();

  constructor(title: string, isPaced: boolean) {
    this.#title = title;
    this.#isPaced = isPaced;
  }

  generate(layout: Layout): string {
    this.#source.line(`// ${this.#title}`);
    this.#source.line("'use strict';");
    this.#source.line('const { noBytes } = runtime;');
    this.#source.line(`return ${this.#structWriter(layout, 'message', this.#isPaced)};`);
    return this.#source.toString();
  }

  /** Generates the function that writes a structure, and returns its name. */
  #structWriter(layout: Layout, path: string, yields: boolean): string {
    const verb = yields ? '*write' : 'write';
    return this.#source.define(verb, path, 'w, o', () => this.#structBody(layout));
  }

  #structBody(layout: Layout): void {
    for (const field of layout.absent) this.#absent(field, 'o');
    for (const run of runsOf(layout.fields)) {
      if (isFixed(run[0]!.type)) this.#fixedRun(run, 'w', 'o');
      else this.#single(run[0]!, 'w', 'o');
    }
    if (layout.flexible) this.#taggedSection(layout, 'w', 'o');
  }

  /** Does not drop a value silently, because the peer would then do something else than was requested. */
  #absent(field: LayoutField, object: string): void {
    if (field.ignorable) return;
    const value = this.#source.fresh(field.name);
    this.#source.line(`const ${value} = ${object}.${field.name};`);
    this.#source.line(
      `if (${value} !== undefined && !(${isDefaultExpression(field, value)})) ` +
        `runtime.refuseAbsent('${field.path}', ${JSON.stringify(this.#title)});`,
    );
  }

  #fixedRun(run: readonly LayoutField[], writer: string, object: string): void {
    const at = this.#source.fresh('at');
    const byteCount = run.reduce((sum, { type }) => sum + fixedSizes[type.kind as FixedKind], 0);
    this.#source.line(`const ${at} = ${writer}.reserve(${byteCount});`);
    let offset = 0;
    for (const field of run) {
      const value = this.#valueOf(field, object);
      this.#fixed(field.type.kind as FixedKind, writer, `${at} + ${offset}`, value, field.path);
      offset += fixedSizes[field.type.kind as FixedKind];
    }
  }

  #fixed(kind: FixedKind, writer: string, at: string, value: string, path: string): void {
    if (kind === 'bool') this.#source.line(`${writer}.buffer[${at}] = ${value} ? 1 : 0;`);
    else if (kind === 'uuid') this.#source.line(`${writer}.uuidAt(${at}, ${value}, '${path}');`);
    else this.#source.line(`${writer}.view.${setters[kind]}(${at}, ${value});`);
  }

  #valueOf(field: LayoutField, object: string): string {
    const member = `${object}.${field.name}`;
    return field.optional ? `(${member} === undefined ? ${defaultExpression(field)} : ${member})` : member;
  }

  #single(field: LayoutField, writer: string, object: string): void {
    const value = this.#source.fresh(field.name);
    this.#source.line(`const ${value} = ${this.#valueOf(field, object)};`);
    this.#value(field, writer, value);
  }

  #value(field: LayoutField, writer: string, value: string): void {
    this.#source.block(`if (${value} === null)`, () => {
      if (field.nullable) this.#null(field.type, writer);
      else this.#source.line(`runtime.refuseNull('${field.path}');`);
    });
    this.#source.block('else', () => {
      if (field.nullable && field.type.kind === 'struct') this.#source.line(`${writer}.uint8(1);`);
      this.#present(field.type, writer, value, field.path);
    });
  }

  #null(type: LayoutType, writer: string): void {
    if (type.kind === 'struct') this.#source.line(`${writer}.uint8(0xff);`);
    else if ('compact' in type && type.compact) this.#source.line(`${writer}.uint8(0);`);
    else if (type.kind === 'string') this.#source.line(`${writer}.int16(-1);`);
    else this.#source.line(`${writer}.int32(-1);`);
  }

  #present(type: LayoutType, writer: string, value: string, path: string): void {
    if (isFixed(type)) {
      const at = this.#source.fresh('at');
      this.#source.line(`const ${at} = ${writer}.reserve(${fixedSizes[type.kind]});`);
      this.#fixed(type.kind, writer, at, value, path);
      return;
    }
    switch (type.kind) {
      case 'string':
        this.#source.line(`${writer}.${type.compact ? 'compactString' : 'string'}(${value}, '${path}');`);
        return;
      case 'bytes':
      case 'records':
        this.#source.line(`${writer}.${type.compact ? 'compactBytes' : 'bytes'}(${value}, '${path}');`);
        return;
      case 'struct':
        this.#struct(type.layout, writer, value, path);
        return;
      case 'array':
        this.#array(type, writer, value);
        return;
    }
  }

  /** Only what has lists needs to yield. */
  #struct(layout: Layout, writer: string, value: string, path: string): void {
    const yields = this.#isPaced && hasArrays(layout);
    const name = this.#structWriter(layout, path, yields);
    this.#source.line(`${yields ? 'yield* ' : ''}${name}(${writer}, ${value});`);
  }

  #array(type: Extract<LayoutType, { kind: 'array' }>, writer: string, value: string): void {
    const count = this.#source.fresh('count');
    const index = this.#source.fresh('i');
    const element = this.#source.fresh('element');
    this.#source.line(`const ${count} = ${value}.length;`);
    this.#source.line(
      type.compact ? `${writer}.unsignedVarint(${count} + 1);` : `${writer}.int32(${count});`,
    );
    this.#source.block(`for (let ${index} = 0; ${index} < ${count}; ${index}++)`, () => {
      this.#source.line(`const ${element} = ${value}[${index}];`);
      this.#present(type.element, writer, element, type.path);
      if (this.#isPaced) {
        this.#source.line(`if ((++${writer}.elements & ${elementsPerPace - 1}) === 0) yield;`);
      }
    });
  }

  /** Known and unknown tagged fields are written in the order of their tags. */
  #taggedSection(layout: Layout, writer: string, object: string): void {
    const unknown = this.#source.fresh('unknown');
    this.#source.line(`const ${unknown} = ${object}.unknownTaggedFields;`);
    const known = layout.tagged.map((field) => {
      const value = this.#source.fresh(field.name);
      const isWritten = this.#source.fresh('isWritten');
      this.#source.line(`const ${value} = ${object}.${field.name};`);
      this.#source.line(
        `const ${isWritten} = ${value} !== undefined && !(${isDefaultExpression(field, value)});`,
      );
      return { field, value, isWritten };
    });
    const counts = [
      `(${unknown} === undefined ? 0 : ${unknown}.length)`,
      ...known.map(({ isWritten }) => `(${isWritten} ? 1 : 0)`),
    ];
    this.#source.line(`${writer}.unsignedVarint(${counts.join(' + ')});`);
    const next = this.#source.fresh('next');
    this.#source.line(`let ${next} = 0;`);
    for (const { field, value, isWritten } of known) {
      this.#unknownUpTo(writer, unknown, next, String(field.tag));
      this.#source.block(`if (${isWritten})`, () => {
        const content = this.#source.fresh('content');
        this.#source.line(`const ${content} = new runtime.Writer(64);`);
        this.#value(field, content, value);
        this.#source.line(`${writer}.taggedField(${field.tag}, ${content});`);
      });
    }
    this.#unknownUpTo(writer, unknown, next, 'Infinity');
  }

  #unknownUpTo(writer: string, unknown: string, next: string, belowTag: string): void {
    this.#source.line(
      `if (${unknown} !== undefined) ${next} = ${writer}.unknownTaggedFields(${unknown}, ${next}, ${belowTag});`,
    );
  }
}

function hasArrays({ fields, tagged }: Layout): boolean {
  return [...fields, ...tagged].some(
    ({ type }) => type.kind === 'array' || (type.kind === 'struct' && hasArrays(type.layout)),
  );
}
