/** What the owner of a query and its process say to each other: `parse` is answered, then `run`. */

import type { Column } from '../parquet/parquet-writer.ts';
import type { LocalData, LocalDelete } from '../parquet/rows-left.ts';

export interface SqlLimits {
  readonly memoryBytesMax: number;
  readonly threads: number;
  readonly timeMsMax: number;
  readonly rowsMax: number;
  readonly answerBytesMax: number;
}

/** A table as a query sees it. */
export interface SqlTable {
  readonly name: string;
  /** Of the current schema. */
  readonly columns: readonly Column[];
  /** Local copies of its data files. */
  readonly data: readonly LocalData[];
  /** Local copies of files by which other programs deleted rows. */
  readonly deletes: readonly LocalDelete[];
}

export type SqlRequest =
  /** Checks the query, and finds which of the tables it reads. */
  | { readonly kind: 'parse'; readonly sql: string; readonly tableNames: readonly string[] }
  | {
      readonly kind: 'run';
      readonly sql: string;
      readonly tables: readonly SqlTable[];
      readonly limits: SqlLimits;
    };

/** Why a query has no result: it cannot be run, it needs too much, it took too long, or something else failed. */
export type SqlErrorKind = 'refused' | 'limit' | 'time' | 'failed';

interface SqlColumn {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
}

export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  /** Rows as JSON text: an array of arrays. Integers beyond 32 bits, decimals and times are texts. */
  readonly rowsJson: string;
  readonly rowCount: number;
  /** False if there are more rows than the answer has. */
  readonly isComplete: boolean;
}

/** What a query compares a column of a table with, where all rows of its result fulfil it. */
export interface SqlCondition {
  readonly table: string;
  readonly column: string;
  readonly op: '=' | '<' | '<=' | '>' | '>=';
  readonly value: string | number;
}

export interface ParsedSql {
  readonly tables: readonly string[];
  readonly conditions: readonly SqlCondition[];
}

export type SqlAnswer =
  | { readonly kind: 'parsed'; readonly parsed: ParsedSql }
  | { readonly kind: 'result'; readonly result: SqlResult }
  | { readonly kind: 'failed'; readonly error: SqlErrorKind; readonly message: string };
