/** Values on their way into DuckDB, checked because DuckDB would wrap or round them; and bounds on their way back. */
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  type DuckDBMapEntry,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  DuckDBUUIDValue,
  type DuckDBValue,
  listValue,
  mapValue,
  structValue,
} from '@duckdb/node-api';
import type { PrimitiveType, Type, Value } from '@weir/iceberg';
import { fileNames } from './duckdb-schema.ts';
import type { Column, RowValue } from './parquet-writer.ts';
import { InvalidRow } from './writer-errors.ts';

/** What is counted while values pass. */
export interface ValueCounts {
  /** Of float and double columns, by id. */
  readonly nans: Map<number, number>;
  /** About the size of all values. */
  bytes: number;
}

type Converter = (value: RowValue | undefined) => DuckDBValue;

/** Converts the values of a column, null included. `place` is its name in messages. */
export function converterOf(column: Column, counts: ValueCounts, place = column.name): Converter {
  const { isRequired } = column;
  const convert = converterOfType(column.id, column.type, counts, place);
  return (value) => {
    if (value !== null && value !== undefined) return convert(value);
    if (isRequired) throw new InvalidRow(`column ${place} is required, and a row has no value for it`);
    return null;
  };
}

function converterOfType(
  id: number,
  type: Type,
  counts: ValueCounts,
  place: string,
): (value: RowValue) => DuckDBValue {
  const inside = (column: Omit<Column, 'doc'>) => converterOf(column, counts, `${place}.${column.name}`);
  switch (type.kind) {
    case 'struct': {
      const names = fileNames(type.columns);
      const converters = type.columns.map(inside);
      return (value) => {
        if (!Array.isArray(value) || value.length !== converters.length) throw refusal(place, type, value);
        return structValue(
          Object.fromEntries(converters.map((convert, at) => [names[at]!, convert(value[at])])),
        );
      };
    }
    case 'list': {
      const element = inside({
        id: type.elementId,
        name: 'element',
        isRequired: type.isElementRequired,
        type: type.element,
      });
      return (value) => {
        if (!Array.isArray(value)) throw refusal(place, type, value);
        counts.bytes += 8;
        return listValue(value.map(element));
      };
    }
    case 'map': {
      const key = inside({ id: type.keyId, name: 'key', isRequired: true, type: type.key });
      const mapped = inside({
        id: type.valueId,
        name: 'value',
        isRequired: type.isValueRequired,
        type: type.value,
      });
      return (value) => {
        if (!Array.isArray(value)) throw refusal(place, type, value);
        counts.bytes += 8;
        return mapValue(
          value.map((pair): DuckDBMapEntry => {
            if (!Array.isArray(pair) || pair.length !== 2) throw refusal(place, type, pair);
            return { key: key(pair[0]), value: mapped(pair[1]) };
          }),
        );
      };
    }
    default:
      return primitiveConverter(id, type, counts, place);
  }
}

const dayMicros = 86_400_000_000n;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function primitiveConverter(
  id: number,
  type: PrimitiveType,
  counts: ValueCounts,
  place: string,
): (value: RowValue) => DuckDBValue {
  const checked =
    (bytes: number, isRight: (value: never) => boolean, make: (value: never) => DuckDBValue) =>
    (value: RowValue) => {
      if (!isRight(value as never)) throw refusal(place, type, value);
      counts.bytes += bytes;
      return make(value as never);
    };
  const same = (value: DuckDBValue) => value;
  const isInt = (value: unknown) => typeof value === 'number' && (value | 0) === value;
  const isLong = (value: unknown) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
  switch (type.kind) {
    case 'boolean':
      return checked(1, (value: unknown) => typeof value === 'boolean', same);
    case 'int':
      return checked(4, isInt, same);
    case 'long':
      return checked(8, isLong, same);
    case 'float':
    case 'double': {
      counts.nans.set(id, 0);
      const isFloat = type.kind === 'float';
      return checked(
        isFloat ? 4 : 8,
        (value: unknown) => typeof value === 'number',
        (value: number) => {
          if (Number.isNaN(value)) counts.nans.set(id, counts.nans.get(id)! + 1);
          return value;
        },
      );
    }
    case 'decimal': {
      const { precision, scale } = type;
      const limit = 10n ** BigInt(precision);
      return checked(
        precision > 18 ? 16 : 8,
        (value: unknown) => typeof value === 'bigint' && value < limit && value > -limit,
        (value: bigint) => new DuckDBDecimalValue(value, precision, scale),
      );
    }
    case 'date':
      return checked(4, isInt, (value: number) => new DuckDBDateValue(value));
    case 'time':
      return checked(
        8,
        (value: unknown) => typeof value === 'bigint' && value >= 0n && value < dayMicros,
        (value: bigint) => new DuckDBTimeValue(value),
      );
    case 'timestamp':
      return checked(8, isLong, (value: bigint) => new DuckDBTimestampValue(value));
    case 'timestamptz':
      return checked(8, isLong, (value: bigint) => new DuckDBTimestampTZValue(value));
    case 'string':
      return checked(
        4,
        (value: unknown) => typeof value === 'string',
        (value: string) => {
          counts.bytes += value.length;
          return value;
        },
      );
    case 'uuid':
      return checked(
        16,
        (value: unknown) => typeof value === 'string' && uuidPattern.test(value),
        (value: string) => DuckDBUUIDValue.fromUint128(BigInt(`0x${value.replaceAll('-', '')}`)),
      );
    case 'fixed':
    case 'binary': {
      const length = 'bytes' in type ? type.bytes : undefined;
      return checked(
        4,
        (value: unknown) => value instanceof Uint8Array && (length === undefined || value.length === length),
        (value: Uint8Array) => {
          counts.bytes += value.length;
          return new DuckDBBlobValue(value);
        },
      );
    }
  }
}

export function refusal(place: string, type: Type, value: unknown): InvalidRow {
  const kind =
    type.kind === 'decimal'
      ? `decimal(${type.precision}, ${type.scale})`
      : type.kind === 'fixed'
        ? `fixed[${type.bytes}]`
        : type.kind;
  const shown =
    typeof value === 'string'
      ? JSON.stringify(value.slice(0, 50))
      : value instanceof Uint8Array
        ? `a value of ${value.length} bytes`
        : Array.isArray(value)
          ? `an array of ${value.length}`
          : String(value).slice(0, 50);
  return new InvalidRow(`column ${place}: ${shown} is no ${kind}`);
}

/** A least or greatest value that DuckDB found. */
export function boundValue(type: PrimitiveType, found: DuckDBValue): Value {
  switch (type.kind) {
    case 'date':
      return (found as DuckDBDateValue).days;
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return (found as DuckDBTimeValue | DuckDBTimestampValue | DuckDBTimestampTZValue).micros;
    case 'decimal':
      return (found as DuckDBDecimalValue).value;
    case 'uuid':
      return (found as DuckDBUUIDValue).toString();
    case 'fixed':
    case 'binary':
      return (found as DuckDBBlobValue).bytes;
    default:
      return found as Value;
  }
}
