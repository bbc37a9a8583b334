/**
 * Columns of every type and rows with what readers get wrong: nulls at every level, empty lists and maps, NaN and -0,
 * decimals of up to 38 digits, characters beyond the BMP, times before 1970. And one form in which all readers show
 * rows, so that they can be compared.
 */
import type { Random } from '@weir/core';
import { type PrimitiveType, parsePrimitive, type Type } from '@weir/iceberg';
import type { RowValue } from '@weir/tables';

type StructType = Extract<Type, { kind: 'struct' }>;
export type Column = StructType['columns'][number];

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, RowValue>>;

/** A value as all readers show it: numbers are texts, floating-point numbers their bits, maps sorted pairs. */
export type Shown = null | boolean | string | readonly Shown[] | { readonly [name: string]: Shown };

const primitive = (text: string) => parsePrimitive(text, 'test');
const typeOf = (type: string | Type) => (typeof type === 'string' ? primitive(type) : type);

/** `column('id!', 'long')` is required. Ids are given by the table. */
function column(name: string, type: string | Type): Column {
  return { id: 0, name: name.replace('!', ''), isRequired: name.endsWith('!'), type: typeOf(type) };
}

const struct = (...columns: Column[]): Type => ({ kind: 'struct', columns });
const list = (element: string | Type, isElementRequired = false): Type => ({
  kind: 'list',
  elementId: 0,
  isElementRequired,
  element: typeOf(element),
});
const map = (key: string, value: string | Type, isValueRequired = false): Type => ({
  kind: 'map',
  keyId: 0,
  key: typeOf(key),
  valueId: 0,
  isValueRequired,
  value: typeOf(value),
});

/** `hasTime` is false for Spark, which has no type for times of day. */
export function allColumns({ hasTime }: { readonly hasTime: boolean }): Column[] {
  return [
    column('id!', 'long'),
    column('flag', 'boolean'),
    column('small', 'int'),
    column('large', 'long'),
    column('single', 'float'),
    column('exact', 'double'),
    ...[1, 9, 10, 18, 19, 20, 28, 35, 36, 38].map((digits) =>
      column(`d${digits}`, `decimal(${digits}, ${Math.floor(digits / 3)})`),
    ),
    column('whole!', 'decimal(38, 0)'),
    column('day', 'date'),
    ...(hasTime ? [column('clock', 'time')] : []),
    column('local', 'timestamp'),
    column('at', 'timestamptz'),
    column('word', 'string'),
    column('key', 'uuid'),
    column('bytes', 'binary'),
    column('words', list('string')),
    column('numbers', list('long', true)),
    column('nested', list(list('int'))),
    column('prices', map('string', 'decimal(28, 9)')),
    column('codes', map('int', 'double', true)),
    column(
      'person',
      struct(
        column('name', 'string'),
        column('height!', 'float'),
        column('home', struct(column('street', 'string'), column('paid', 'decimal(20, 2)'))),
        column('visits', list(struct(column('when', 'timestamptz'), column('to', 'binary')))),
      ),
    ),
    column('history', map('string', struct(column('n', 'long'), column('marks', list('double'))))),
  ];
}

const words = [
  '',
  'a',
  'z',
  'ä',
  '😀',
  '😀😀 x',
  '\u{10ffff}',
  'a\u0000b',
  'x'.repeat(40),
  `${'😀'.repeat(9)}b`,
];
const dayMicros = 86_400_000_000n;
/** Years 1 to 9999, which Python can show. */
const [daysMin, daysMax] = [-719_162, 2_932_896];

/** Draws rows from a seed. */
export class RowMaker {
  readonly #random: Random;
  readonly #columns: readonly Column[];
  #next: number;

  constructor(random: Random, columns: readonly Column[], firstId = 0) {
    this.#random = random;
    this.#columns = columns;
    this.#next = firstId;
  }

  /** `days` is where `at` is, so that tests know how many partitions there are. */
  rows(count: number, days: readonly number[]): Row[] {
    return Array.from({ length: count }, () => {
      const row = Object.fromEntries(this.#columns.map((one) => [one.name, this.#value(one)]));
      const at = BigInt(this.#pick(days)) * dayMicros + BigInt(this.#random.below(86_400)) * 1_000_003n;
      return { ...row, id: BigInt(this.#next++), at: this.#isRare(10) ? null : at };
    });
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)]!;
  }

  #isRare(of: number): boolean {
    return this.#random.below(of) === 0;
  }

  #value({ type, isRequired }: Pick<Column, 'type' | 'isRequired'>): RowValue {
    if (!isRequired && this.#isRare(5)) return null;
    const many = () => Array.from({ length: this.#pick([0, 1, 2, 5]) });
    switch (type.kind) {
      case 'struct':
        return type.columns.map((one) => this.#value(one));
      case 'list':
        return many().map(() => this.#value({ type: type.element, isRequired: type.isElementRequired }));
      case 'map': {
        const keys = many().map(() => this.#value({ type: type.key, isRequired: true }));
        return [...new Set(keys)].map((key) => [
          key,
          this.#value({ type: type.value, isRequired: type.isValueRequired }),
        ]);
      }
      default:
        return this.#primitive(type);
    }
  }

  #bits(count: number): bigint {
    let bits = 0n;
    for (let left = count; left > 0; left -= 16) bits = (bits << 16n) | BigInt(this.#random.below(65_536));
    return BigInt.asUintN(count, bits);
  }

  #bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.#random.below(256)));
  }

  #primitive(type: PrimitiveType): RowValue {
    switch (type.kind) {
      case 'boolean':
        return this.#isRare(2);
      case 'int':
        return this.#pick([0, -1, 1, 2 ** 31 - 1, -(2 ** 31), this.#random.below(1000) - 500]);
      case 'long':
        return this.#pick([0n, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n, this.#bits(62)]);
      case 'float':
        return Math.fround(this.#floating());
      case 'double':
        return this.#floating();
      case 'decimal': {
        const limit = 10n ** BigInt(type.precision) - 1n;
        return this.#pick([0n, 1n, -1n, limit, -limit, this.#bits(127) % limit, -(this.#bits(127) % limit)]);
      }
      case 'date':
        return this.#pick([0, -1, 1, daysMin, daysMax, this.#random.below(40_000) - 20_000]);
      case 'time':
        return this.#pick([0n, dayMicros - 1n, BigInt(this.#random.below(86_400)) * 1_000_000n + 7n]);
      case 'timestamp':
      case 'timestamptz':
        return this.#pick([
          ...[0n, -1n, 1n, BigInt(daysMin) * dayMicros, BigInt(daysMax + 1) * dayMicros - 1n],
          BigInt(this.#random.below(40_000) - 20_000) * dayMicros + 123_456n,
        ]);
      case 'string':
        return this.#isRare(2) ? this.#pick(words) : `w${this.#random.below(30)}`;
      case 'uuid': {
        const digits = this.#bytes(16).toString('hex');
        return digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
      }
      case 'fixed':
        return this.#bytes(type.bytes);
      case 'binary':
        return this.#bytes(this.#pick([0, 1, 20, 40]));
    }
  }

  #floating(): number {
    return this.#pick([
      ...[0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5, -1e-30],
      (this.#random.below(2_000_000) - 1_000_000) / 128,
    ]);
  }
}

interface Shortcomings {
  /** Lists and maps of structs that are null are read as empty ones. */
  readonly losesNulls?: boolean;
}

/** Rows as all readers show them, in the order of their ids. */
export function shownRows(
  columns: readonly Column[],
  rows: readonly Row[],
  shortcomings: Shortcomings = {},
): Shown[] {
  return rows
    .toSorted((one, other) => ((one.id as bigint) < (other.id as bigint) ? -1 : 1))
    .map((row) =>
      Object.fromEntries(columns.map(({ name, type }) => [name, shown(type, row[name]!, shortcomings)])),
    );
}

function shown(type: Type, value: RowValue, shortcomings: Shortcomings): Shown {
  if (value === null) {
    const inside = type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined;
    return shortcomings.losesNulls === true && inside?.kind === 'struct' ? [] : null;
  }
  const show = (inside: Type, one: RowValue) => shown(inside, one, shortcomings);
  switch (type.kind) {
    case 'struct':
      return Object.fromEntries(
        type.columns.map((one, at) => [one.name, show(one.type, (value as readonly RowValue[])[at] ?? null)]),
      );
    case 'list':
      return (value as readonly RowValue[]).map((one) => show(type.element, one));
    case 'map':
      return (value as readonly (readonly RowValue[])[])
        .map((pair) => [show(type.key, pair[0]!), show(type.value, pair[1]!)])
        .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1));
    case 'boolean':
      return value as boolean;
    case 'float':
    case 'double':
      return bitsOf(type.kind, value as number);
    case 'decimal':
      return decimalText(value as bigint, type.scale);
    case 'fixed':
    case 'binary':
      return Buffer.from(value as Uint8Array).toString('hex');
    default:
      return String(value);
  }
}

function bitsOf(kind: 'float' | 'double', value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const bytes = Buffer.alloc(kind === 'float' ? 4 : 8);
  if (kind === 'float') bytes.writeFloatBE(value);
  else bytes.writeDoubleBE(value);
  return bytes.toString('hex');
}

export function decimalText(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return unscaled < 0n ? `-${text}` : text;
}
