/** Single values as JSON (appendix D of the spec), of primitive and nested types. */
import type { Json } from '../json/exact-json.ts';
import { isPrimitive, type PrimitiveType, type Type } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { dateText, parseDate, parseTime, parseTimestamp, timestampText, timeText } from './calendar.ts';
import { isValueOf, type Value } from './value.ts';

/** A value of any type: a struct by the ids of its columns, a list, or a map as entries. */
export type NestedValue =
  | null
  | Value
  | { readonly columns: ReadonlyMap<number, NestedValue> }
  | { readonly elements: readonly NestedValue[] }
  | { readonly entries: readonly (readonly [NestedValue, NestedValue])[] };

export function valueJson(type: Type, value: NestedValue): Json {
  if (value === null) return null;
  switch (type.kind) {
    case 'struct': {
      const { columns } = value as { columns: ReadonlyMap<number, NestedValue> };
      return Object.fromEntries(
        type.columns.map(({ id, type: inside }) => [String(id), valueJson(inside, columns.get(id) ?? null)]),
      );
    }
    case 'list':
      return (value as { elements: readonly NestedValue[] }).elements.map((one) =>
        valueJson(type.element, one),
      );
    case 'map': {
      const { entries } = value as { entries: readonly (readonly [NestedValue, NestedValue])[] };
      return {
        keys: entries.map(([key]) => valueJson(type.key, key)),
        values: entries.map(([, one]) => valueJson(type.value, one)),
      };
    }
    default:
      return primitiveJson(type, value as Value);
  }
}

function primitiveJson(type: PrimitiveType, value: Value): Json {
  switch (type.kind) {
    case 'decimal':
      return decimalText(value as bigint, type.scale);
    case 'date':
      return dateText(value as number);
    case 'time':
      return timeText(value as bigint);
    case 'timestamp':
      return timestampText(value as bigint);
    case 'timestamptz':
      return `${timestampText(value as bigint)}+00:00`;
    case 'fixed':
    case 'binary':
      return Buffer.from(value as Uint8Array).toString('hex');
    default:
      return value as Json;
  }
}

export function readValue(type: Type, json: Json, place: string): NestedValue {
  if (json === null) return null;
  const wrong = () => new InvalidTable(`${place}: no value of the type ${type.kind}`);
  if (isPrimitive(type)) {
    const value = primitiveOf(type, json, wrong);
    if (!isValueOf(type, value)) throw wrong();
    return value;
  }
  if (typeof json !== 'object') throw wrong();
  if (type.kind === 'list') {
    if (!Array.isArray(json)) throw wrong();
    return {
      elements: (json as readonly Json[]).map((one, at) => readValue(type.element, one, `${place}[${at}]`)),
    };
  }
  if (Array.isArray(json)) throw wrong();
  const object = json as Readonly<Record<string, Json>>;
  if (type.kind === 'struct') {
    const inside = type.columns.map(({ id, name, type: of }): [number, NestedValue] => [
      id,
      readValue(of, object[id] ?? null, `${place}.${name}`),
    ]);
    return { columns: new Map(inside) };
  }
  const { keys, values } = object;
  if (!Array.isArray(keys) || !Array.isArray(values) || keys.length !== values.length) throw wrong();
  return {
    entries: (keys as Json[]).map((key, at) => [
      readValue(type.key, key, `${place}.keys[${at}]`),
      readValue(type.value, values[at] as Json, `${place}.values[${at}]`),
    ]),
  };
}

function primitiveOf(type: PrimitiveType, json: Json, wrong: () => Error): unknown {
  const text = () => {
    if (typeof json !== 'string') throw wrong();
    return json;
  };
  switch (type.kind) {
    case 'long':
      return typeof json === 'number' && Number.isSafeInteger(json) ? BigInt(json) : json;
    case 'float':
    case 'double':
      return typeof json === 'bigint' ? Number(json) : json;
    case 'decimal':
      return parseDecimal(text(), type.scale);
    case 'date':
      return parseDate(text());
    case 'time':
      return parseTime(text());
    case 'timestamp':
      return parseTimestamp(text());
    case 'timestamptz':
      return parseTimestamp(text().replace(/(?:\+00:00|Z)$/, ''));
    case 'uuid':
      return text().toLowerCase();
    case 'fixed':
    case 'binary':
      return /^(?:[0-9a-f]{2})*$/i.test(text()) ? Buffer.from(text(), 'hex') : undefined;
    default:
      return json;
  }
}

/** `14.20` for 1420 with the scale 2. */
export function decimalText(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The unscaled value; `undefined` if the text is no decimal with exactly this scale. */
function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, whole, fraction = ''] = /^([+-]?\d{1,40})(?:\.(\d{1,40}))?$/.exec(text) ?? [];
  return whole !== undefined && fraction.length === scale
    ? BigInt(whole.replace('+', '') + fraction)
    : undefined;
}
