/** The SQL of rows of local Parquet files that no delete file is about. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from './duckdb-schema.ts';
import { expressionsFor, type FileColumn, readFileColumns, shapeOf } from './file-columns.ts';
import type { DataOrigin, DeleteRule } from './table-deletes.ts';
import { ParquetNotRewritable } from './writer-errors.ts';

/** A local copy of a data file. */
export interface LocalData extends DataOrigin {
  readonly path: string;
}

/** A local copy of a delete file. */
export interface LocalDelete extends DeleteRule {
  readonly path: string;
}

/** Columns of files of position deletes, which the format has given these ids. */
const filePath = {
  id: 2_147_483_546,
  name: 'file_path',
  isRequired: true,
  type: { kind: 'string' },
} as const;
const filePlace = { id: 2_147_483_545, name: 'pos', isRequired: true, type: { kind: 'long' } } as const;

interface ShapedDelete extends LocalDelete {
  readonly has: readonly FileColumn[];
}

/** Deletes as tables that rows are compared with. */
export class RowsLeft {
  readonly #deletes: readonly ShapedDelete[];

  static async read(connection: DuckDBConnection, deletes: readonly LocalDelete[]): Promise<RowsLeft> {
    const shaped: ShapedDelete[] = [];
    for (const one of deletes) shaped.push({ ...one, has: await readFileColumns(connection, one.path) });
    return new RowsLeft(shaped);
  }

  private constructor(deletes: readonly ShapedDelete[]) {
    this.#deletes = deletes;
  }

  /** What stands after FROM: rows of files that have the same columns, which are called `c0`, `c1` and so on. */
  of(has: readonly FileColumn[], files: readonly LocalData[]): string {
    const paths = files.map(({ path }) => quoteText(path)).join(', ');
    const called = has.map((_, at) => `c${at}`);
    if (this.#deletes.length === 0)
      return `read_parquet([${paths}], hive_partitioning = false) AS file(${called.join(', ')})`;
    const origins = files.map(
      ({ path, uri, sequenceNumber, partition }) =>
        `(${quoteText(path)}, ${quoteText(uri)}, ${sequenceNumber}::BIGINT, ${quoteText(partition)})`,
    );
    const raw = `read_parquet([${paths}], hive_partitioning = false, file_row_number = true, filename = 'weir_local_path')`;
    const rows = `SELECT * FROM ${raw} AS raw(${[...called, 'place', 'local_path'].join(', ')})
      JOIN (VALUES ${origins.join(', ')}) AS origin(local_path, uri, sequence, part) USING (local_path)`;
    return `(${rows}) AS file ${this.#antiJoins(has).join(' ')}`;
  }

  #antiJoins(has: readonly FileColumn[]): string[] {
    const groups = Map.groupBy(this.#deletes, ({ columns, partition }) =>
      columns === undefined
        ? 'places'
        : JSON.stringify([columns.map(({ id }) => id), partition === undefined]),
    );
    return [...groups.values()].map((group, at) => {
      const { columns, partition } = group[0]!;
      const [name, compared] = [`deleted${at}`, columns ?? [filePath, filePlace]];
      const conditions =
        columns === undefined
          ? [`${name}.d0 = file.uri`, `${name}.d1 = file.place`, `${name}.until >= file.sequence`]
          : [
              ...expressionsFor(columns, has).map(
                (value, place) => `${name}.d${place} IS NOT DISTINCT FROM ${value}`,
              ),
              ...(partition === undefined ? [] : [`${name}.whose = file.part`]),
              `${name}.until > file.sequence`,
            ];
      return `ANTI JOIN (${deletedRows(group, compared)}) AS ${name} ON ${conditions.join(' AND ')}`;
    });
  }
}

/** Rows of delete files that compare the same columns: `d0` and so on, up to which number, and of which partition. */
function deletedRows(group: readonly ShapedDelete[], columns: Parameters<typeof expressionsFor>[0]): string {
  const alike = Map.groupBy(group, ({ has }) => shapeOf(has));
  const parts = [...alike.values()].map((files) => {
    const { has } = files[0]!;
    for (const { id, name } of columns)
      if (!has.some((column) => column.id === id))
        throw new ParquetNotRewritable(
          `a file of deletes lacks the column ${name}, whose values it should have`,
        );
    const values = expressionsFor(columns, has).map((value, at) => `${value} AS d${at}`);
    const origins = files.map(
      ({ path, sequenceNumber, partition = '' }) =>
        `(${quoteText(path)}, ${sequenceNumber}::BIGINT, ${quoteText(partition)})`,
    );
    const paths = files.map(({ path }) => quoteText(path)).join(', ');
    const called = [...has.map((_, at) => `c${at}`), 'local_path'].join(', ');
    return `SELECT ${values.join(', ')}, until, whose
      FROM read_parquet([${paths}], hive_partitioning = false, filename = 'weir_local_path') AS raw(${called})
      JOIN (VALUES ${origins.join(', ')}) AS origin(local_path, until, whose) USING (local_path)`;
  });
  return parts.join(' UNION ALL ');
}
