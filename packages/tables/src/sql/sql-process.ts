/**
 * The process of one query; `runSql` is its owner. It has no environment, reads no file but the copies that it is
 * given, and writes none.
 */
import { constants, setPriority } from 'node:os';
import {
  type DuckDBConnection,
  DuckDBInstance,
  JsonDuckDBValueConverter,
  StatementType,
} from '@duckdb/node-api';
import { formatBytes, systemClock } from '@weir/core';
import { quoteText } from '../parquet/duckdb-schema.ts';
import { checkedSelect } from './checked-select.ts';
import { SqlLimitExceeded, SqlRefused } from './sql-errors.ts';
import type { ParsedSql, SqlAnswer, SqlLimits, SqlRequest, SqlResult, SqlTable } from './sql-messages.ts';
import { viewOf } from './table-view.ts';

// Clients of the agent come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.on('message', async (request: SqlRequest) => {
  const answer = await answerTo(request);
  if (process.connected) process.send!(answer, () => {});
});
// Without its agent it has nothing to do.
process.on('disconnect', () => process.exit());

async function answerTo(request: SqlRequest): Promise<SqlAnswer> {
  try {
    if (request.kind === 'parse')
      return { kind: 'parsed', parsed: await parse(request.sql, request.tableNames) };
    return { kind: 'result', result: await run(request.sql, request.tables, request.limits) };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof SqlRefused) return { kind: 'failed', error: 'refused', message };
    if (error instanceof SqlLimitExceeded) return { kind: 'failed', error: 'limit', message };
    return failureOf(message, request);
  }
}

/** DuckDB has lines for a person at a terminal; the first says it. */
function failureOf(message: string, request: SqlRequest): SqlAnswer {
  const line = message.split('\n')[0]!.slice(0, 500);
  const { limits } = request.kind === 'run' ? request : { limits: undefined };
  if (limits !== undefined && /Out of Memory Error|max_temp_directory_size/.test(message))
    return {
      kind: 'failed',
      error: 'limit',
      message: `the query needs more than ${formatBytes(limits.memoryBytesMax)} of memory; read fewer rows or columns, or group by fewer values`,
    };
  if (/^INTERRUPT Error/i.test(message)) return { kind: 'failed', error: 'time', message: line };
  // What the query says is wrong, or meets a value that it cannot convert.
  if (
    /^(?:Binder|Catalog|Parser|Conversion|Out of Range|Invalid Input|Not implemented|Constraint|Syntax|Permission) Error/i.test(
      line,
    )
  )
    return { kind: 'failed', error: 'refused', message: line };
  return { kind: 'failed', error: 'failed', message: line };
}

const sealed = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
} as const;

async function parse(sql: string, tableNames: readonly string[]): Promise<ParsedSql> {
  const instance = await DuckDBInstance.create(':memory:', {
    ...sealed,
    threads: '1',
    enable_external_access: 'false',
    lock_configuration: 'true',
  });
  const connection = await instance.connect();
  const found = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const serialized = found.getRows()[0]![0];
  connection.closeSync();
  instance.closeSync();
  return checkedSelect(sql, String(serialized), tableNames);
}

async function run(sql: string, tables: readonly SqlTable[], limits: SqlLimits): Promise<SqlResult> {
  const instance = await DuckDBInstance.create(':memory:', {
    ...sealed,
    threads: String(limits.threads),
    memory_limit: `${limits.memoryBytesMax}B`,
    max_temp_directory_size: '0B',
  });
  const connection = await instance.connect();
  const cancel = systemClock.after(limits.timeMsMax, () => connection.interrupt());
  try {
    const paths = tables.flatMap(({ data, deletes }) => [...data, ...deletes].map(({ path }) => path));
    for (const setting of [
      "TimeZone = 'UTC'",
      `allowed_paths = [${paths.map(quoteText).join(', ')}]`,
      'enable_external_access = false',
      'lock_configuration = true',
    ])
      await connection.run(`SET ${setting}`);
    for (const table of tables) await connection.run(await viewOf(connection, table));
    return await resultOf(connection, sql, limits);
  } finally {
    cancel();
  }
}

async function resultOf(connection: DuckDBConnection, sql: string, limits: SqlLimits): Promise<SqlResult> {
  const statements = await connection.extractStatements(sql);
  const statement = await statements.prepare(0);
  if (statements.count !== 1 || statement.statementType !== StatementType.SELECT)
    throw new SqlRefused('only one SELECT can be run; tables are written by their pipelines');
  if (statement.parameterCount > 0)
    throw new SqlRefused('the query has parameters; write their values into it');
  const result = await statement.stream();
  const names = result.columnNames();
  const columns = result.columnTypes().map((type, at) => ({ name: names[at]!, type: String(type) }));
  const rows: string[] = [];
  let bytes = 2;
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  )
    for (let at = 0; at < chunk.rowCount; at++) {
      // One row at a time: a chunk of long texts may be larger than the heap.
      const text = JSON.stringify(chunk.convertRowValues(at, JsonDuckDBValueConverter));
      bytes += Buffer.byteLength(text) + 1;
      if (rows.length === limits.rowsMax || bytes > limits.answerBytesMax) {
        if (rows.length === 0)
          throw new SqlLimitExceeded(
            `the first row of the result is larger than ${formatBytes(limits.answerBytesMax)}; select fewer columns`,
          );
        return { columns, rowsJson: `[${rows.join(',')}]`, rowCount: rows.length, isComplete: false };
      }
      rows.push(text);
    }
  return { columns, rowsJson: `[${rows.join(',')}]`, rowCount: rows.length, isComplete: true };
}
