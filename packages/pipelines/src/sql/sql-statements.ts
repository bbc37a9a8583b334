import type { Database, SqlArgument, Statement } from './database.ts';

interface Framed {
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
}

/** Statements that insert rows: one, unless there are more arguments than a statement can have. */
export function insertStatements(
  {
    table,
    columns,
    prefix,
    suffix,
  }: Framed & { readonly table: string; readonly columns: readonly string[] },
  rows: readonly (readonly SqlArgument[])[],
  { placeholders, argumentsMax }: Pick<Database, 'placeholders' | 'argumentsMax'>,
): Statement[] {
  const rowsAtATime = Math.max(1, Math.floor(argumentsMax / columns.length));
  const statements: Statement[] = [];
  for (let from = 0; from < rows.length; from += rowsAtATime) {
    const some = rows.slice(from, from + rowsAtATime);
    let count = 0;
    const values = some.map(
      (row) => `(${row.map(() => (placeholders === 'dollar' ? `$${++count}` : '?')).join(',')})`,
    );
    const text = `INSERT INTO ${table} (${columns.join(',')}) VALUES ${values.join(',')}`;
    statements.push({
      text: framed(text, { prefix, suffix }),
      args: some.flat(),
      isDynamic: some.length > 1,
    });
  }
  return statements;
}

/** A query whose condition has `?` for arguments. */
export function selectText(
  {
    table,
    columns,
    where,
    prefix,
    suffix,
  }: Framed & {
    readonly table: string;
    readonly columns: readonly string[];
    readonly where?: string | undefined;
  },
  placeholders: Database['placeholders'],
): string {
  const condition =
    where === undefined || where === '' ? '' : ` WHERE ${placeholders === 'dollar' ? dollars(where) : where}`;
  return framed(`SELECT ${columns.join(', ')} FROM ${table}${condition}`, { prefix, suffix });
}

function framed(text: string, { prefix, suffix }: Framed): string {
  return [prefix, text, suffix].filter((part) => part !== undefined && part !== '').join(' ');
}

/** Numbers the question marks; `??` is a question mark, as operators of JSON need it. */
function dollars(where: string): string {
  let count = 0;
  return where.replaceAll(/\?\??/g, (found) => (found === '??' ? '?' : `$${++count}`));
}
