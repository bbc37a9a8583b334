/**
 * DuckDB takes 0 and -0 for one value in dictionaries of Parquet files, so that all of them read as the first. A file
 * with a -0 is written without dictionaries: larger, and right.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Type } from '@weir/iceberg';
import type { Column } from './parquet-writer.ts';

/** Options of `COPY` for rows of `source`, whose columns are called `c0`, `c1` and so on. */
export async function dictionaryOptions(
  connection: DuckDBConnection,
  columns: readonly Column[],
  source: string,
): Promise<string[]> {
  const tests = columns.flatMap(({ type }, at) => negativeZeroIn(`c${at}`, type, 0) ?? []);
  if (tests.length === 0) return [];
  const found = await connection.runAndReadAll(`SELECT bool_or(${tests.join(' OR ')}) FROM ${source}`);
  return found.getRows()[0]![0] === true ? ['DICTIONARY_SIZE_LIMIT 0'] : [];
}

/** Never null, because null would hide what the other columns of a row have. `depth` names parameters of lambdas. */
function negativeZeroIn(expression: string, type: Type, depth: number): string | undefined {
  const among = (list: string, element: Type) => {
    const test = negativeZeroIn(`v${depth}`, element, depth + 1);
    return test && `coalesce(list_bool_or(list_transform(${list}, lambda v${depth}: ${test})), false)`;
  };
  const either = (tests: readonly (string | undefined)[]) => {
    const some = tests.filter((test) => test !== undefined);
    return some.length === 0 ? undefined : `(${some.join(' OR ')})`;
  };
  switch (type.kind) {
    case 'float':
    case 'double':
      return `coalesce(${expression} = 0 AND signbit(${expression}), false)`;
    case 'struct':
      return either(
        type.columns.map((column, at) =>
          negativeZeroIn(`struct_extract_at(${expression}, ${at + 1})`, column.type, depth),
        ),
      );
    case 'list':
      return among(expression, type.element);
    case 'map':
      return either([
        among(`map_keys(${expression})`, type.key),
        among(`map_values(${expression})`, type.value),
      ]);
    default:
      return undefined;
  }
}
