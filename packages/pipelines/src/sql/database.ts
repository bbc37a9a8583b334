import type { Value } from '@weir/bloblang';

/** A value as both databases take it. */
export type SqlArgument = string | number | bigint | Buffer | null;

export type Row = Record<string, Value>;

export interface Statement {
  readonly text: string;
  readonly args: readonly SqlArgument[];
  /** Whether the text depends on messages, so that it is not worth preparing. */
  readonly isDynamic?: boolean;
}

/** A database of another, as components use it. Calls may fail and be repeated; a lost connection is made again. */
export interface Database {
  /** Placeholders of statements: `$1` or `?`. */
  readonly placeholders: 'dollar' | 'question';
  /** How many arguments a statement may have. */
  readonly argumentsMax: number;
  /** Runs statements in one transaction, or a single one without. */
  execute(statements: readonly Statement[]): Promise<void>;
  /** The rows of a query, some at a time. */
  rows(statement: Statement): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** All rows of a query that has few. */
export async function allRows(
  database: Database,
  statement: Statement,
  { rowsMax, bytesMax }: { readonly rowsMax: number; readonly bytesMax: number },
): Promise<Row[]> {
  const found: Row[] = [];
  let byteCount = 0;
  for await (const rows of database.rows(statement))
    for (const row of rows) {
      found.push(row);
      byteCount += sizeOf(row);
      if (found.length > rowsMax || byteCount > bytesMax)
        throw new Error(
          `the result has more than ${rowsMax} rows or ${bytesMax} bytes; add a LIMIT to the query`,
        );
    }
  return found;
}

function sizeOf(row: Row): number {
  let size = 0;
  for (const [name, value] of Object.entries(row))
    size += name.length + (typeof value === 'string' ? value.length : 8);
  return size;
}
