/** Filters over columns of many types, with values that rows have or nearly have, in the words of a reader. */
import type { Random } from '@weir/core';
import type { RowValue } from '@weir/tables';
import { type Column, decimalText, type Row } from './typed-rows.ts';

type Language = 'pyiceberg' | 'spark';

const comparisons = ['=', '!=', '<', '<=', '>', '>='];

export function randomFilters(
  random: Random,
  columns: readonly Column[],
  rows: readonly Row[],
  language: Language,
  count: number,
): string[] {
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const usable = columns.filter(({ type }) => literal(type, null, language) !== undefined);
  const simple = (): string => {
    const { name, type } = pick(usable);
    if (random.below(8) === 0) return `${name} IS ${pick(['', 'NOT '])}NULL`;
    const values = rows.map((row) => row[name]!).filter((value) => value !== null && !isNan(value));
    if (values.length === 0) return `${name} IS NULL`;
    const text = literal(type, near(random, type, pick(values)), language)!;
    return `${name} ${pick(comparisons)} ${text}`;
  };
  return Array.from({ length: count }, () => {
    const joined = random.below(3);
    if (joined === 0) return simple();
    const [one, other] = [simple(), simple()];
    return joined === 1 ? `(${one}) AND (${other})` : `(${one}) OR (${other})`;
  });
}

const isNan = (value: RowValue) => typeof value === 'number' && Number.isNaN(value);

/** A value that a row has, or one beside it. */
function near(random: Random, { kind }: Column['type'], value: RowValue): RowValue {
  const step = random.below(3) - 1;
  if (kind === 'int') return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, (value as number) + step));
  if (kind === 'date') return Math.max(-719_162, Math.min(2_932_896, (value as number) + step));
  if (kind === 'long') return BigInt.asIntN(64, (value as bigint) + BigInt(step));
  return value;
}

/**
 * The text of a value; `undefined` for types whose filters are not tried: to Spark NaN is greater than all numbers, and
 * in Iceberg it is outside of all bounds.
 */
function literal(type: Column['type'], value: RowValue, language: Language): string | undefined {
  const quoted = (text: string) => `'${text}'`;
  const typed = (name: string, text: string) =>
    language === 'spark' ? `${name} ${quoted(text)}` : quoted(text);
  switch (type.kind) {
    case 'int':
      return String(value);
    case 'long':
      // Spark takes the least one for the negation of a number that is too large.
      return language === 'spark' ? `CAST('${value}' AS BIGINT)` : String(value);
    case 'decimal': {
      const text = value === null ? '0' : decimalText(value as bigint, type.scale);
      if (language === 'spark') return `CAST('${text}' AS DECIMAL(${type.precision}, ${type.scale}))`;
      // The parser of pyiceberg reads numbers with a point as binary ones, which have 15 digits.
      return type.precision <= 10 ? text : undefined;
    }
    case 'date':
      return typed('DATE', dateText(value as number | null));
    case 'timestamp':
      return typed('TIMESTAMP_NTZ', instantText(value as bigint | null));
    case 'timestamptz':
      return typed('TIMESTAMP', `${instantText(value as bigint | null)}+00:00`);
    case 'string': {
      const text = (value as string | null) ?? '';
      return quoted(/['\\]|\p{Cc}/u.test(text) ? 'a' : text);
    }
    default:
      return undefined;
  }
}

function dateText(days: number | null): string {
  return new Date((days ?? 0) * 86_400_000).toISOString().slice(0, 10);
}

function instantText(micros: bigint | null): string {
  const value = micros ?? 0n;
  const rest = ((value % 1000n) + 1000n) % 1000n;
  const ms = new Date(Number((value - rest) / 1000n)).toISOString().slice(0, 23);
  return `${ms}${String(rest).padStart(3, '0')}`;
}
